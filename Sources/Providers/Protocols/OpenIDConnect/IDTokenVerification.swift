import HTTP
import JOSE
import Runtime
import Text

extension ConfiguredProvider {
    /// The checks of an ID token, however it came: form, issuer, signature, standard claims, the issuer's own rules.
    func prove(
        _ idToken: UTF8Text, accessToken: UTF8Text?, nonce: IDTokenChecks.ExpectedNonce, _ issuer: any Issuer, answer: Form
    ) async throws(ProviderError) -> Evidence {
        let unverified: UnverifiedJWT
        do { unverified = try Self.unverified(idToken) } catch { throw Self.refusal(error) }
        // Before anything is fetched, so that a token of another issuer causes no request.
        try issuer.admits(unverified.claims)
        let metadata = try await metadata(issuer)
        let algorithms = metadata.commonAlgorithms(settings.algorithms)
        guard algorithms.contains(unverified.algorithm) else { throw Self.refusal(.unsupportedAlgorithm) }
        let token = try await verified(unverified, algorithms, keysAt: "\(metadata.keys)", namedBy: origin(of: issuer))
        let checks = IDTokenChecks(
            audiences: settings.audiences, now: clock.now(), nonce: issuer.expected(nonce, in: token.claims), accessToken: accessToken)
        try checks.check(token)
        try issuer.check(token, metadata)
        return Evidence(
            of: settings, claims: token.claims, accessToken: accessToken, userInfo: metadata.userinfo, answer: answer, log: log)
    }

    /// The claims of an ID token that nothing has verified yet.
    static func unverified(_ idToken: UTF8Text) throws(JOSEError) -> UnverifiedJWT {
        try UnverifiedJWT.parse(idToken.asString, as: .idToken, maxBytes: ProviderResult.longestToken)
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
        case .tooLarge: .invalidResponse("The ID token is longer than \(ProviderResult.longestToken) bytes.", detail: "")
        case .wrongKind(let reason): .invalidResponse("The token is not an ID token.", detail: reason)
        default: .invalidResponse("The ID token is malformed.", detail: "\(error)")
        }
    }
}
