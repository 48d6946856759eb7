import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `GET /{project}/oauth2/userinfo`: the claims about the person to whom an access token belongs.
/// <https://openid.net/specs/openid-connect-core-1_0.html#UserInfo>
struct UserInfoEndpoint: RawEndpoint {
    static let route = UserInfoAnswer.route(.get)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(answers: [.json(.map(.anything))])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await UserInfoAnswer.response(request, inForm: nil, context)
    }
}

/// `POST /{project}/oauth2/userinfo`: the same; the access token may stand in a form.
struct PostedUserInfo: RawEndpoint {
    static let route = UserInfoAnswer.route(.post)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(body: .form(.texts(optional: ["access_token"])), answers: [.json(.map(.anything))])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let form = request.isForm ? try Form.ofRelyingParty(request) : Form()
        return try await UserInfoAnswer.response(request, inForm: form.filled("access_token"), context)
    }
}

private enum UserInfoAnswer {
    static func route(_ method: HTTP.Method) -> Route {
        Route(
            method, "/{project}/oauth2/userinfo",
            aliases: ["openid/v2.0/userinfo", "oauth2/v2.0/userinfo"].flatMap(IssuerRoutes.flowPaths), access: .relyingParty)
    }

    static func response(_ request: Request, inForm token: UTF8Text?, _ context: Context) async throws -> Response {
        let address = try context.issuer(request)
        let settings = address.project.settings
        let text = try accessToken(request, inForm: token)
        // A token of a user flow has another `sub` than the project's own issuer gives. A token for an API is not for this endpoint, so that the
        // API cannot use it here; one for the client itself is.
        guard let found = try await context.services.accounts.openID.sessions.accessToken(text, in: settings),
            found.session.grant.issuer.isExactly(address.urls.issuer),
            found.audiences.contains(where: { $0.isExactly(address.urls.userInfo) || $0.isExactly(found.session.grant.clientID) })
        else { throw Failure.invalidAccessToken }
        guard found.scopes.contains("openid") else { throw Failure.insufficientScope }
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.field("sub", address.subject(of: found.account))
            // The parameter `claims` has added the scopes of its claims to the request.
            found.account.write(UserInfoClaims(scopes: Set(found.scopes), requested: []), to: &json)
        }
        return Response(oauth: json.bytes)
    }

    /// The access token, from the header or from the form, never from the query. <https://www.rfc-editor.org/rfc/rfc6750#section-2>
    private static func accessToken(_ request: Request, inForm token: UTF8Text?) throws(Failure) -> UTF8Text {
        let bearers = request.headers.values("authorization").map { $0.split(maxSplits: 1) { $0 == 0x20 } }.filter {
            $0.first?.asciiLowercased == "bearer"
        }
        let tokens = bearers.map { $0.count == 2 ? $0[1].trimmed : "" } + (token.map { [$0] } ?? [])
        guard tokens.count <= 1 else { throw .severalAccessTokens }
        guard let token = tokens.first else { throw .missingAccessToken }
        return token
    }
}

extension IssuerAddress {
    /// `sub` of an account in the tokens of this issuer.
    func subject(of account: Account) -> String { userFlow == nil ? account.id : account.objectID(in: project.settings) }
}
