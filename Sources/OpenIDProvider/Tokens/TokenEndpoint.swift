import Accounts
import HTTP
import JSON
import ProjectSettings
import Text
import Web

/// `POST /{project}/oauth2/token`: a relying party trades a code, or a refresh token, for tokens.
/// <https://openid.net/specs/openid-connect-core-1_0.html#TokenEndpoint>
struct TokenEndpoint: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "token", access: .relyingParty)
    static let errorFormat = ErrorFormat.oauthJSON
    static let content = CallContent(
        body: .form(
            .texts(
                ["grant_type"],
                optional: ["code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id"] + ClientCredentials.parameters)),
        answers: [.json(TokenAnswer.shape)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await ClientCall.answer(request, context) { call in
            guard let type = call.form.filled("grant_type") else { throw Failure.invalidRequest("The parameter grant_type is missing.") }
            return switch type {
            case "authorization_code": try await call.redeemCode()
            case "refresh_token": try await call.refresh()
            default: throw Failure.unsupportedGrantType
            }
        }
    }
}

extension ClientCall {
    /// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3>
    fileprivate func redeemCode() async throws -> Response {
        guard let code = form.filled("code") else { throw Failure.invalidRequest("The parameter code is missing.") }
        let proof = AuthorizationRequests.Proof(
            clientID: client.id, redirectURI: form.filled("redirect_uri"), verifier: form.filled("code_verifier"),
            userFlow: address.userFlow?.name)
        let redeemed = try await accounts.openID.requests.redeem(code, proof, for: client, in: settings, from: context.clientInfo)
        let answer = TokenAnswer(
            subject: subject(redeemed.account, redeemed.session), granted: redeemed.session.grant.scopes, nonce: redeemed.request.nonce,
            isNewUser: redeemed.isNewUser)
        return try answer.response(to: self)
    }

    /// <https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens>
    fileprivate func refresh() async throws -> Response {
        guard let token = form.filled("refresh_token") else { throw Failure.invalidRequest("The parameter refresh_token is missing.") }
        let scopes = try refreshedScopes()
        let (account, session) = try await accounts.openID.sessions.refresh(
            token, scopes: scopes, for: client, userFlow: address.userFlow?.name, in: settings, from: context.clientInfo)
        return try TokenAnswer(
            subject: subject(account, session), granted: scopes ?? session.grant.scopes, nonce: nil, isNewUser: false
        ).response(to: self)
    }

    private func subject(_ account: Account, _ session: ClientSession) -> ClientTokens.Subject {
        ClientTokens.Subject(account, session, of: client, by: address.userFlow)
    }

    /// The narrower scopes that the relying party wants this time; `nil` for all that were granted.
    ///
    /// Microsoft's libraries repeat all scopes of their first request here, also those that were ignored then.
    private func refreshedScopes() throws -> [String]? {
        guard let wanted = form.filled("scope")?.split(where: { $0 == 0x20 }), !wanted.isEmpty else { return nil }
        let known = client.scopes + client.apiScopes + [client.id]
        let scopes = known.filter { wanted.contains(UTF8Text($0)) }
        guard !scopes.isEmpty, address.userFlow != nil || wanted.allSatisfy({ name in known.contains { name == $0 } }) else {
            throw Failure.scopeTooWide
        }
        return scopes
    }
}
