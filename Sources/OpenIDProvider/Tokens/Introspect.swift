import Accounts
import HTTP
import JSON
import ProjectSettings
import Runtime
import Text
import Web

/// `POST /{project}/oauth2/introspect`: a confidential client, such as the server of an API, asks what a token is good for.
/// <https://www.rfc-editor.org/rfc/rfc7662>
///
/// A client learns of its own tokens and of those whose audience it is. Every other text is an inactive token to it.
struct Introspect: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "introspect", access: .relyingParty)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(
        body: .form(.texts(["token"], optional: ["client_id"] + ClientCredentials.parameters)),
        answers: [
            .json(
                .object([
                    .init("active", .flag, isRequired: true), .init("scope", .text, isRequired: false),
                    .init("client_id", .text, isRequired: false), .init("username", .text, isRequired: false),
                    .init("sub", .text, isRequired: false), .init("iss", .text, isRequired: false),
                    .init("aud", .anything, isRequired: false),
                    .init("token_type", .text, isRequired: false), .init("jti", .text, isRequired: false),
                    .init("iat", .integer(bits: 64), isRequired: false), .init("exp", .integer(bits: 64), isRequired: false),
                ]))
        ])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await ClientCall.answer(request, context) { call in
            guard !call.client.isPublic else {
                throw Failure.invalidClient(isChallenged: false).saying("Only a client with a secret or a key may introspect tokens.")
            }
            guard let text = call.form.filled("token") else { throw Failure.invalidRequest("The parameter token is missing.") }
            var json = JSONWriter(capacity: 512)
            if let token = try await call.accounts.openID.sessions.accessToken(text, in: call.settings), call.mayKnow(token) {
                json.object { call.write(token, to: &$0) }
            } else if let token = try await call.accounts.openID.sessions.refreshable(text, in: call.settings),
                token.session.grant.clientID == call.client.id
            {
                json.object { json in
                    json.field("active", true)
                    let grant = token.session.grant
                    call.write(grant, of: token.account, scopes: call.client.keeping(grant.scopes), to: &json)
                    json.field("exp", token.session.expires.seconds)
                }
            } else {
                json.object { $0.field("active", false) }
            }
            return Response(oauth: json.bytes)
        }
    }
}

extension ClientCall {
    fileprivate func mayKnow(_ token: ClientSessions.IssuedAccessToken) -> Bool {
        token.session.grant.clientID == client.id || token.audiences.contains(client.id)
    }

    fileprivate func write(_ token: ClientSessions.IssuedAccessToken, to json: inout JSONWriter) {
        json.field("active", true)
        write(token.session.grant, of: token.account, scopes: token.scopes, to: &json)
        json.field("token_type", "Bearer")
        json.field("iat", token.issued.seconds)
        json.field("exp", token.expires.seconds)
        if token.audiences.count == 1 {
            json.field("aud", token.audiences[0])
        } else {
            json.array("aud") { json in for audience in token.audiences { json.value(audience) } }
        }
        json.field("jti", token.id)
    }

    fileprivate func write(_ grant: ClientGrant, of account: Account, scopes: [String], to json: inout JSONWriter) {
        json.field("scope", scopes.joined(separator: " "))
        json.field("client_id", grant.clientID)
        json.field("username", scopes.contains("email") ? account.email : nil)
        json.field("sub", grant.userFlow == nil ? account.id : account.objectID(in: settings))
        json.field("iss", grant.issuer)
    }
}
