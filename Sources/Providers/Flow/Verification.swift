import HTTP
import JOSE
import Runtime
import Text

extension ConfiguredProvider {
    /// Checks the credential of an app that has signed in with the provider by itself.
    ///
    /// An access token alone is refused: it shows who the person is, but not for which app it was issued, so any other app that the person
    /// uses could sign in here with it.
    package func verify(_ credential: Credential) async throws(ProviderError) -> ProviderResult {
        guard let idToken = credential.idToken, !idToken.isEmpty else {
            guard credential.accessToken?.isEmpty == false else {
                throw .invalidCredential("The credential has neither an ID token nor an access token.")
            }
            throw .invalidResponse(
                "An access token alone is not accepted from \(settings.name): it does not say which app it was issued to. "
                    + "Send the ID token, or let this server run the sign-in.", detail: "")
        }
        let accessToken = credential.accessToken.flatMap { $0.isEmpty ? nil : $0 }
        let rawNonce = credential.rawNonce.flatMap { $0.isEmpty ? nil : $0 }
        let nonce = IDTokenChecks.ExpectedNonce.posted(rawNonce, settings.nonceRule)
        let evidence = try await prove(idToken, accessToken: accessToken, nonce: nonce, settings.issuer, answer: [:])
        let identity = try await settings.issuer.identity(evidence, api)
        return ProviderResult(identity: identity, idToken: idToken.asString, accessToken: accessToken?.asString)
    }

    /// The checks of an ID token, however it came: form, issuer, signature, standard claims, the issuer's own rules.
    func prove(
        _ idToken: UTF8Text, accessToken: UTF8Text?, nonce: IDTokenChecks.ExpectedNonce, _ issuer: any Issuer, answer: Form
    ) async throws(ProviderError) -> Evidence {
        let unverified: UnverifiedJWT
        do { unverified = try UnverifiedJWT.parse(idToken.asString) } catch { throw Self.refusal(error) }
        // Before anything is fetched, so that a token of another issuer causes no request.
        try issuer.admits(unverified.claims)
        let metadata = try await metadata(issuer)
        let algorithms = metadata.commonAlgorithms(settings.algorithms)
        guard algorithms.contains(unverified.algorithm) else { throw Self.refusal(.unsupportedAlgorithm) }
        let token = try await verified(unverified, algorithms, keysAt: "\(metadata.keys)", namedBy: origin(of: issuer))
        let checks = IDTokenChecks(audiences: settings.audiences, now: clock.now(), nonce: nonce, accessToken: accessToken)
        try checks.check(token)
        try issuer.check(token, metadata)
        return Evidence(
            providerID: settings.id, issuer: settings.storedIssuer, claims: token.claims, accessToken: accessToken,
            userInfo: metadata.userinfo, answer: answer, authoritativeDomains: settings.authoritativeDomains)
    }

    /// With the keys in the cache, and once more with newer ones when the token names a key that is not among them.
    private func verified(
        _ token: UnverifiedJWT, _ algorithms: Set<Algorithm>, keysAt url: String, namedBy origin: MetadataCache.Origin
    ) async throws(ProviderError) -> JWT {
        let now = clock.now()
        let keys = try await cache.keys(url, namedBy: origin, upstream, now: now)
        do throws(JOSEError) {
            return try token.verified(with: keys, algorithms: algorithms)
        } catch {
            guard error == .unknownKey, let newer = try await cache.newerKeys(url, namedBy: origin, upstream, now: now) else {
                throw Self.refusal(error)
            }
            do throws(JOSEError) { return try token.verified(with: newer, algorithms: algorithms) } catch { throw Self.refusal(error) }
        }
    }

    private static func refusal(_ error: JOSEError) -> ProviderError {
        switch error {
        case .unknownKey: .invalidResponse("The ID token is signed with a key that the provider does not publish.", detail: "")
        case .badSignature: .invalidResponse("The ID token's signature is wrong.", detail: "")
        case .unsupportedAlgorithm: .invalidResponse("The ID token is signed in a way that is not accepted.", detail: "")
        case .tooLarge: .invalidResponse("The ID token is too long.", detail: "")
        default: .invalidResponse("The ID token is malformed.", detail: "\(error)")
        }
    }
}
