package import HTTP
package import Identity
import JSON
import Text

extension ConfiguredProvider {
    /// Exchanges the provider's answer to `authorize` for proof of who signed in.
    ///
    /// - Parameters:
    ///   - answer: the answer's fields: `code`; `id_token` where the entry says `flow: idToken`; `oauth_token` and `oauth_verifier` by
    ///     OAuth 1.0a. Its `iss` has been checked (`checkIssuer`), and it is not a refusal.
    ///   - secrets: those of the start.
    package func redeem(
        answer: Form, redirectURI: String, secrets: SignInSecrets
    ) async throws(ProviderError) -> ProviderResult {
        let grant = TokenGrant(clientID: settings.clientID, tenant: secrets.customParameters["tenant"]?.asString)
        switch settings.protocol {
        case .openIDConnect(let configured):
            let (issuer, _) = try configured.narrowed(by: secrets.customParameters)
            let tokens = try await tokens(for: answer, redirectURI, secrets, issuer)
            guard let idToken = tokens.idToken else { throw tokens.lacking("ID token") }
            let evidence = try await prove(
                idToken, accessToken: tokens.accessToken, nonce: .ours(secrets.nonce, settings.nonceRule), issuer, answer: answer)
            return ProviderResult(identity: try await issuer.identity(evidence, api), tokens, of: grant)
        case .oauth2(let provider):
            let tokens = try await exchange(
                try only("code", of: answer), redirectURI, secrets.codeVerifier, at: provider.endpoints.token, nil)
            guard let accessToken = tokens.accessToken else { throw tokens.lacking("access token") }
            let evidence = Evidence(of: settings, claims: [:], accessToken: accessToken, answer: answer, log: log)
            return ProviderResult(identity: try await provider.identity(evidence, api), tokens, of: grant)
        case .oauth1(let provider):
            let token = try await accessToken(provider, for: answer, secrets.requestToken)
            var result = try await result(of: token, provider, api, answer: answer)
            result.grant = grant
            return result
        case .development(let provider):
            // The page's code is the claims themselves. They are the access token, too, so that an app can post either as a credential.
            let claims = try only("code", of: answer)
            return try result(of: provider, saying: Credential(idToken: claims, accessToken: claims))
        }
    }

    /// The tokens that the issuer gave for its answer: those for a code, or the ID token in it.
    private func tokens(
        for answer: Form, _ redirectURI: String, _ secrets: SignInSecrets, _ issuer: any Issuer
    ) async throws(ProviderError) -> TokenResponse {
        if settings.flow == .idToken { return TokenResponse(idToken: try only("id_token", of: answer)) }
        let code = try only("code", of: answer)
        let metadata = try await metadata(issuer)
        guard let endpoint = metadata.token else { throw .unfit("The discovery document has no token_endpoint.") }
        return try await exchange(code, redirectURI, secrets.codeVerifier, at: "\(endpoint)", metadata)
    }

    func only(_ name: UTF8Text, of answer: Form) throws(ProviderError) -> UTF8Text {
        let values = answer.all(name)
        guard values.count == 1, let value = values.first, !value.isEmpty else {
            throw .invalidResponse("The provider's answer has no \(name).", detail: "callback with \(values.count) of \(name)")
        }
        return value
    }
}
