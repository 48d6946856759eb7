import Accounts
import HTTP
import JSON
import ProjectSettings
import Runtime
import Text
import Web

/// `POST /{project}/oauth2/par`: a relying party sends its request ahead, and gets a short name for it.
/// <https://www.rfc-editor.org/rfc/rfc9126>
///
/// All checks of the authorization endpoint are made here. A pushed request does not lift the registration of redirect URIs.
struct PushAuthorizationRequest: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "par", access: .relyingParty)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(
        body: .form(.texts(optional: AuthorizeForm.parameters + ClientCredentials.parameters)),
        answers: [
            .json(
                .object([.init("request_uri", .text, isRequired: true), .init("expires_in", .integer(bits: 64), isRequired: true)]),
                status: 201)
        ])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await ClientCall.answer(request, context) { call in
            let accepted: AuthorizeParameters.Accepted
            do {
                accepted = try call.address.parameters(AuthorizeForm(call.form, of: call.client), call.accounts)
                    .accepted(isPushed: true)
            } catch let refusal as AuthorizationRefusal {
                throw refusal.failure
            }
            let id = try await call.accounts.openID.requests.push(
                accepted.request, of: call.client, in: call.settings, from: context.clientInfo)
            var json = JSONWriter()
            json.object { json in
                json.field("request_uri", PushedRequestURI.text(id))
                json.field("expires_in", AuthorizationRequests.timeToPresent.wholeSeconds)
            }
            return Response(oauth: json.bytes, status: 201)
        }
    }
}

/// The name of a pushed request. <https://www.rfc-editor.org/rfc/rfc9126#section-2.2>
enum PushedRequestURI {
    private static let prefix: UTF8Text = "urn:ietf:params:oauth:request_uri:"

    static func text(_ id: PendingAuthorization.ID) -> String { prefix.asString + id.text }

    /// `nil` for an address of another kind, or without an id of ours.
    static func id(in uri: UTF8Text) -> PendingAuthorization.ID? {
        guard uri.hasPrefix(prefix) else { return nil }
        return PendingAuthorization.ID(UTF8Text(decoding: uri.utf8.dropFirst(prefix.utf8.count)))
    }
}
