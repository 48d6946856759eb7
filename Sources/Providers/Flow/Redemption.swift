package import HTTP
package import Identity
import Text

extension ConfiguredProvider {
    /// Exchanges the provider's answer to `authorize` for proof of who signed in.
    ///
    /// - Parameters:
    ///   - answer: the answer's fields: `code`, or `id_token` where the entry says `flow: idToken`. Its `iss` has been checked
    ///     (`checkIssuer`), and it has no `error`.
    ///   - secrets: those of the start.
    package func redeem(
        answer: Form, redirectURI: String, secrets: SignInSecrets
    ) async throws(ProviderError) -> ProviderResult {
        let (issuer, _) = try settings.issuer.narrowed(by: secrets.customParameters)
        let expected = IDTokenChecks.ExpectedNonce.ours(secrets.nonce)
        switch settings.flow {
        case .code:
            let tokens = try await exchange(
                try only("code", of: answer), redirectURI, secrets.codeVerifier, try await metadata(issuer))
            let evidence = try await prove(tokens.idToken, accessToken: tokens.accessToken, nonce: expected, issuer, answer: answer)
            var result = ProviderResult(
                identity: try await issuer.identity(evidence, api), idToken: tokens.idToken.asString,
                accessToken: tokens.accessToken?.asString)
            result.refreshToken = tokens.refreshToken?.asString
            result.expiresIn = tokens.expiresIn
            return result
        case .idToken:
            let token = try only("id_token", of: answer)
            let evidence = try await prove(token, accessToken: nil, nonce: expected, issuer, answer: answer)
            return ProviderResult(identity: try await issuer.identity(evidence, api), idToken: token.asString)
        }
    }

    private func only(_ name: UTF8Text, of answer: Form) throws(ProviderError) -> UTF8Text {
        let values = answer.all(name)
        guard values.count == 1, let value = values.first, !value.isEmpty else {
            throw .invalidResponse("The provider's answer has no \(name).", detail: "callback with \(values.count) of \(name)")
        }
        return value
    }
}
