import HTTP
import Identity
import JSON
import Text

/// The two steps of OAuth 1.0a that give a token, and what an access token proves. <https://www.rfc-editor.org/rfc/rfc5849#section-2>
extension ConfiguredProvider {
    /// A request token for a new sign-in.
    ///
    /// There is no `state` in this protocol. Ours is in the query of the address that the provider sends the browser back to.
    /// - Parameter callback: that address. A provider that ignores it (OAuth 1.0 without the "a") is refused: there, an attacker can have
    ///   another person approve the token. <https://oauth.net/advisories/2009-1/>
    func requestToken(_ provider: any OAuth1Provider, callback: String) async throws(ProviderError) -> OAuth1Token {
        let answer = try await api.answer(toSigned: .post, provider.endpoints.requestToken, [(name: "oauth_callback", value: callback)])
        let step = "request token: status \(answer.status)"
        if let reason = provider.unfitness(in: answer) { throw .unfit("\(step): \(reason)") }
        switch answer.status {
        case 200: break
        case 401: throw .unfit("\(step): The provider does not accept clientId and clientSecret, or the clock of this server is wrong.")
        default: throw .unfit("\(step)")
        }
        let (token, form) = try Self.token(in: answer, step)
        guard form.all("oauth_callback_confirmed") == ["true"] else {
            throw .unfit("\(step), without oauth_callback_confirmed: The provider does not speak OAuth 1.0a.")
        }
        return token
    }

    /// The access token for the answer to a sign-in. The provider takes the verifier in it once.
    ///
    /// - Parameter requestToken: the one that this sign-in began with. An answer with another one is of another sign-in.
    func accessToken(
        _ provider: any OAuth1Provider, for answer: Form, _ requestToken: OAuth1Token?
    ) async throws(ProviderError) -> OAuth1Token {
        guard let requestToken, try only("oauth_token", of: answer) == requestToken.token else {
            throw .invalidResponse("The provider's answer belongs to another sign-in.", detail: "callback with another oauth_token")
        }
        let verifier = try only("oauth_verifier", of: answer).asString
        let answer = try await api.answer(
            toSigned: .post, provider.endpoints.accessToken, [(name: "oauth_verifier", value: verifier)], token: requestToken)
        let step = "access token: status \(answer.status)"
        if let reason = provider.unfitness(in: answer) { throw .unfit("\(step): \(reason)") }
        guard answer.status == 200 else { throw .invalidResponse("The provider refused its own answer to the sign-in.", detail: step) }
        return try Self.token(in: answer, step).token
    }

    /// The person to whom the access token belongs, and the token for the app.
    ///
    /// - Parameters:
    ///   - api: as the client that the token belongs to.
    ///   - answer: what the provider sent the browser back with; empty for a credential that an app posted.
    func result(
        of token: OAuth1Token, _ provider: any OAuth1Provider, _ api: ProviderAPI, answer: Form = [:]
    ) async throws(ProviderError) -> ProviderResult {
        let evidence = Evidence(
            of: settings, claims: [:], accessToken: token.token, accessTokenSecret: token.secret, answer: answer, log: log)
        var result = ProviderResult(identity: try await provider.identity(evidence, api), accessToken: token.token.asString)
        result.accessTokenSecret = token.secret.asString
        return result
    }

    /// The token in an answer, which is a form.
    private static func token(
        in answer: ProviderAPI.Answer, _ step: String
    ) throws(ProviderError) -> (token: OAuth1Token, form: Form) {
        guard let form = Form(answer.text), let token = one("oauth_token", form), let secret = one("oauth_token_secret", form) else {
            throw .invalidResponse("The provider sent no token.", detail: step)
        }
        return (OAuth1Token(token: token, secret: secret), form)
    }

    private static func one(_ name: UTF8Text, _ form: Form) -> UTF8Text? {
        let values = form.all(name)
        return values.count == 1 && (1...4096).contains(values[0].utf8.count) ? values[0] : nil
    }
}
