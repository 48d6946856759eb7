import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `POST /token`, the `token_uri` of a key file: a service account gets an access token for the calls of administrators.
///
/// The other paths are those of Google's token endpoint that its libraries ask whatever the key file says.
/// <https://www.rfc-editor.org/rfc/rfc7523#section-2.1>, <https://developers.google.com/identity/protocols/oauth2/service-account#httprest>
struct IssueAccessToken: RawEndpoint {
    static let route = Route(.post, "/token", aliases: ["/o/oauth2/token", "/oauth2/v4/token"], access: .anyone)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(
        body: .form(.texts(["grant_type", "assertion"], optional: ["scope"])),
        answers: [
            .json(
                .object([
                    .init("access_token", .text, isRequired: true), .init("expires_in", .integer(bits: 64), isRequired: true),
                    .init("token_type", .text, isRequired: true), .init("scope", .text, isRequired: true),
                ]))
        ])

    private static let grantType: UTF8Text = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else { throw Failure.invalidRequest("The body must be a form.") }
        let form = try Form.reading(request.body)
        try form.once()
        guard let type = form["grant_type"], !type.isEmpty else { throw Failure.invalidRequest("The parameter grant_type is missing.") }
        guard type == Self.grantType else { throw Failure.unsupportedGrantType.saying("The grant_type is \(Self.grantType).") }
        guard let text = form["assertion"], !text.isEmpty else { throw Failure.invalidRequest("The parameter assertion is missing.") }
        let tokens = context.services.accounts.administration.accessTokens
        let assertion = try tokens.assertion(text, scope: form["scope"])
        guard let project = context.services.projects.current.project(id: assertion.email.projectID) else {
            throw ServiceAccountAssertion.unsigned
        }
        let token = try await tokens.issue(for: assertion, in: project.settings, from: context.clientInfo)
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.field("access_token", token)
            json.field("expires_in", AdministratorTokens.lifetime)
            json.field("token_type", "Bearer")
            json.field("scope", assertion.scopes.joined(separator: " "))
        }
        return Response(json: json.bytes)
    }
}
