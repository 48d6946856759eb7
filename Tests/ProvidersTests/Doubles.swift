import HTTP
import Identity
import JSON
import Runtime
import TestKit

@testable import Providers
import Text

let fixedClock = Clock { FakeIssuer.now }

extension FakeIssuer {
    func settings(id: String = "oidc.test", _ change: (inout OpenIDConnect) -> Void = { _ in }) -> ProviderSettings {
        var issuer = OpenIDConnect(issuer: self.issuer)
        issuer.asksUserInfo = false
        change(&issuer)
        return ProviderSettings(
            id: id, name: "Test", clientID: clientID, clientSecret: Secret(clientSecret), scopes: ["openid", "profile", "email"],
            protocol: .openIDConnect(issuer))
    }

    func provider(_ change: (inout ProviderSettings) -> Void = { _ in }) -> ConfiguredProvider {
        var settings = settings()
        change(&settings)
        return ConfiguredProvider(settings, upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func provider(issuer change: (inout OpenIDConnect) -> Void) -> ConfiguredProvider {
        ConfiguredProvider(settings(change), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    /// The identity that a token with these claims gives, when an app posts it as a credential.
    func identity(_ changes: JSON.Object, _ change: (inout ProviderSettings) -> Void = { _ in }) async throws -> ProviderIdentity {
        try await provider(change).verify(Credential(idToken: try token(changes))).identity
    }
}

extension FakeMicrosoft {
    func provider(
        _ tenant: String = "common", _ change: (inout MicrosoftIssuer) -> Void = { _ in }, domains: Set<String> = []
    ) -> ConfiguredProvider {
        var issuer = MicrosoftIssuer()
        issuer.tenant = MicrosoftTenant(UTF8Text(tenant)) ?? .common
        change(&issuer)
        var settings = ProviderSettings(
            id: "microsoft.com", name: "Microsoft", clientID: clientID, clientSecret: Secret("ms-secret"),
            scopes: Provider.microsoft.scopes,
            protocol: .openIDConnect(issuer))
        settings.clientAuthentication = .post
        settings.authoritativeDomains = domains
        return ConfiguredProvider(settings, upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }
}

extension ConfiguredProvider {
    func redeem(_ callback: Form, nonce: String = "nonce-1", verifier: String = "verifier-1", parameters: [String: String] = [:])
        async throws(ProviderError) -> ProviderResult
    {
        try await redeem(
            answer: callback, redirectURI: FakeIssuer.handler,
            secrets: SignInSecrets(codeVerifier: verifier, nonce: nonce, customParameters: outside(parameters)))
    }

    func authorize(
        _ parameters: [String: String] = [:], scopes: [String] = [], verifier: String = "verifier-1"
    ) async throws(ProviderError) -> String {
        try await start(parameters, scopes: scopes, verifier: verifier).url
    }

    func start(
        _ parameters: [String: String] = [:], scopes: [String] = [], verifier: String = "verifier-1",
        redirectURI: String = FakeIssuer.handler
    ) async throws(ProviderError) -> Authorization {
        try await authorize(
            redirectURI: redirectURI, state: "state-1",
            secrets: SignInSecrets(codeVerifier: verifier, nonce: "nonce-1", customParameters: outside(parameters)),
            scopes: scopes.map { UTF8Text($0) })
    }

    func diagnose() async -> [String] { await diagnose(redirectURI: FakeIssuer.handler) }

    /// The error with which `idToken` is refused; `nil` when it is accepted.
    func refusal(of idToken: String, accessToken: String? = nil, rawNonce: String? = nil) async -> ProviderError? {
        await failure { () async throws(ProviderError) in
            _ = try await verify(Credential(idToken: idToken, accessToken: accessToken, rawNonce: rawNonce))
        }
    }
}

/// The error of a call that must fail.
func failure(_ body: () async throws(ProviderError) -> Void) async -> ProviderError? {
    do throws(ProviderError) {
        try await body()
        return nil
    } catch {
        return error
    }
}

extension ProviderError {
    /// The public reason of an `invalidResponse`, a `grantRefused`, a `clientRefused` or a `misconfigured`; `nil` for other errors.
    var reason: String? {
        switch self {
        case .invalidResponse(let reason, _), .grantRefused(let reason, _), .misconfigured(let reason, _): reason
        case .clientRefused(let reason, _, _): reason
        default: nil
        }
    }

    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
    var isBadParameter: Bool { if case .badParameter = self { true } else { false } }
}

/// The fields of an authorization URL's query, and the rest of it.
struct AuthorizationURL {
    let base: String
    let form: Form
    let hasEmptyFragment: Bool

    init?(_ text: String) {
        hasEmptyFragment = text.hasSuffix("#") && text.count { $0 == "#" } == 1
        let parts = text.dropLast(hasEmptyFragment ? 1 : 0).split(separator: "?", maxSplits: 1)
        guard parts.count == 2, let form = Form(String(parts[1])) else { return nil }
        base = String(parts[0])
        self.form = form
    }
}

/// Parameters in the form in which an app sends them.
private func outside(_ parameters: [String: String]) -> [UTF8Text: UTF8Text] {
    Dictionary(uniqueKeysWithValues: parameters.map { (UTF8Text($0), UTF8Text($1)) })
}

extension Credential {
    init(idToken: String, accessToken: String? = nil, rawNonce: String? = nil) {
        self.init(
            idToken: UTF8Text(idToken), accessToken: accessToken.map { UTF8Text($0) }, rawNonce: rawNonce.map { UTF8Text($0) })
    }
}
