import HTTP
import Identity
import JOSE
import JSON
import Text

extension ConfiguredProvider {
    /// Checks the credential of an app that has signed in with the provider by itself.
    ///
    /// An ID token names the client that it was issued to. An access token does not: it is accepted only where the provider says that it
    /// was issued to our client, since any other app that the person uses could sign in here with its own. By OAuth 1.0a, the provider
    /// says so when it answers to a request that our client has signed.
    package func verify(_ credential: Credential) async throws(ProviderError) -> ProviderResult {
        if case .development(let provider) = settings.protocol { return try result(of: provider, saying: credential) }
        let accessToken = credential.accessToken
        // Checked before it is sent: requests to a provider are limited, so a text that cannot be a token must not cause one.
        guard accessToken?.hasFormOfToken ?? true else { throw .invalidCredential("The access token is malformed.") }
        if let idToken = credential.idToken, let issuer = issuer(of: idToken) {
            guard settings.nonceRule != .unsupported else {
                throw .invalidResponse(
                    "An ID token is not accepted from \(settings.name): it has no nonce, so nothing shows that it was made for this "
                        + "sign-in. Let this server run the sign-in.", detail: "")
            }
            let nonce = IDTokenChecks.ExpectedNonce.posted(credential.rawNonce, settings.nonceRule)
            let answer: Form = credential.user.map { ["user": $0] } ?? [:]
            let evidence = try await prove(idToken, accessToken: accessToken, nonce: nonce, issuer, answer: answer)
            var result = ProviderResult(
                identity: try await issuer.identity(evidence, api), idToken: idToken.asString, accessToken: accessToken?.asString)
            if let code = credential.code, let (tokens, app) = try await tokens(forPosted: code, evidence, issuer) {
                result.take(tokens, of: TokenGrant(clientID: app))
            }
            return result
        }
        guard let accessToken else {
            throw .invalidCredential(
                settings.protocol.postedIssuers.isEmpty
                    ? "The credential has no access token." : "The credential has neither an ID token nor an access token.")
        }
        guard settings.nonceRule != .required else { throw .nonce }
        if let result = try await result(ofSigned: accessToken, secret: credential.accessTokenSecret) { return result }
        guard let claims = try await rules.introspect(accessToken, api) else {
            let remedy = settings.protocol.postedIssuers.isEmpty ? "Let" : "Send the ID token, or let"
            throw .invalidResponse(
                "An access token alone is not accepted from \(settings.name): it does not say which app it was issued to. "
                    + "\(remedy) this server run the sign-in.", detail: "")
        }
        let evidence = Evidence(of: settings, claims: claims, accessToken: accessToken, log: log)
        return ProviderResult(identity: try await rules.identity(evidence, api), accessToken: accessToken.asString)
    }

    /// Checks a token of OAuth 1.0a, with which requests are signed; `nil` where the provider takes none, or where this is not one.
    private func result(ofSigned accessToken: UTF8Text, secret: UTF8Text?) async throws(ProviderError) -> ProviderResult? {
        switch settings.protocol {
        case .oauth1(let provider):
            guard let secret else {
                throw .invalidCredential("The credential has no oauth_token_secret, which signs requests with the access token.")
            }
            return try await result(of: OAuth1Token(token: accessToken, secret: secret), provider, api)
        case .oauth2(let provider):
            guard let secret, let client = provider.nativeOAuth1 else { return nil }
            return try await result(of: OAuth1Token(token: accessToken, secret: secret), client.rules, api.signing(as: client))
        case .openIDConnect, .development: return nil
        }
    }

    /// The issuer that a posted token is from, by its claims, which nothing has verified yet: `prove` does. `nil` when the provider has no
    /// ID tokens.
    private func issuer(of idToken: UTF8Text) -> (any Issuer)? {
        let issuers = settings.protocol.postedIssuers
        guard issuers.count > 1, let claims = try? Self.unverified(idToken).claims else { return issuers.first }
        return settings.protocol.postedIssuer(of: claims)
    }

    /// The tokens for the code that a native app posted beside its ID token, with the app's client id; `nil` when the ID token is not of
    /// one of the issuer's native apps.
    private func tokens(
        forPosted code: UTF8Text, _ evidence: Evidence, _ issuer: any Issuer
    ) async throws(ProviderError) -> (TokenResponse, app: String)? {
        guard let app = issuer.nativeClientIDs.first(where: { evidence.claims["aud"]?.string == UTF8Text($0) }) else {
            return nil
        }
        guard code.hasFormOfToken else { throw .invalidCredential("The code is malformed.") }
        let tokens = try await redeem(code, of: app, redirectURI: nil, try await metadata(issuer))
        let subject = tokens.idToken.flatMap { try? Self.unverified($0) }?.claims["sub"]
        guard let subject, subject == evidence.claims["sub"] else {
            throw .invalidResponse(
                "The code and the ID token belong to different people.", detail: "the code's ID token has another sub, or none")
        }
        return (tokens, app)
    }
}

extension UTF8Text {
    /// Whether a provider may have given this as a token or a code, which are visible ASCII.
    var hasFormOfToken: Bool { (1...ProviderResult.longestToken).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
