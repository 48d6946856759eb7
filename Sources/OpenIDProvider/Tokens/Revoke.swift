import Accounts
import HTTP
import JSON
import ProjectSettings
import Text
import Web

/// `POST /{project}/oauth2/revoke`: a relying party gives its grant up, by the refresh token or an access token of it.
/// <https://www.rfc-editor.org/rfc/rfc7009>
///
/// The answer is the same for a token that is unknown, of another client, or revoked already; nothing is revoked then.
struct Revoke: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "revoke", access: .relyingParty)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(
        body: .form(.texts(["token"], optional: ["client_id"] + ClientCredentials.parameters)), answers: [.empty()])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await ClientCall.answer(request, context) { call in
            guard let token = call.form.filled("token") else { throw Failure.invalidRequest("The parameter token is missing.") }
            try await call.accounts.openID.sessions.revoke(token, of: call.client.id, in: call.settings)
            return Response(status: 200, headers: ["cache-control": "no-store", "pragma": "no-cache"])
        }
    }
}
