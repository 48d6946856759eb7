/// Sign-in with upstream services: those of `Catalog/`, and any OpenID Connect issuer.
///
/// A `Provider` describes a service, `ProviderSettings` is what an operator has configured for it, and a `ConfiguredProvider` is both
/// together with a loop's `Upstream`, ready to run. Both ways to sign in go through the same checks: the redirect (`authorize`, then
/// `redeem` with the answer) and the credential that an app sends (`verify`). `Flow/` does what the standards say, `Metadata/` knows the
/// endpoints and keys of OpenID issuers, `Protocols/` says what each protocol asks of a provider's rules, a file of `Catalog/` has the
/// rules of one provider, `Settings/` reads an entry, and `Development/` takes a provider's place in development mode. Which account
/// belongs to the person, and whether accounts are joined, is decided in `Accounts`.
package import Curl
import HTTP
package import Logging
package import Runtime
package import Text

/// One provider of one project on one loop; cheap to make for each request.
package struct ConfiguredProvider: Sendable {
    package let settings: ProviderSettings
    let upstream: any Upstream
    let cache: MetadataCache
    let clock: Clock
    let log: Logger?

    package init(_ settings: ProviderSettings, upstream: any Upstream, cache: MetadataCache, clock: Clock, log: Logger? = nil) {
        self.settings = settings
        self.upstream = settings.authorities.map { PrivateUpstream(upstream: upstream, authorities: $0) } ?? upstream
        self.cache = cache
        self.clock = clock
        self.log = log
    }

    var rules: any ProviderRules { settings.protocol.rules }
    var api: ProviderAPI {
        ProviderAPI(
            upstream: upstream, clientID: settings.clientID, clientSecret: settings.clientSecret, audiences: settings.audiences,
            clock: clock, log: log)
    }

    /// Checks the `iss` of the provider's answer: compared whenever it is there, and required where the issuer promises it.
    /// <https://www.rfc-editor.org/rfc/rfc9207#section-2.4>
    package func checkIssuer(_ name: UTF8Text?) async throws(ProviderError) {
        let issuer: any Issuer
        switch settings.protocol {
        case .openIDConnect(let configured): issuer = configured
        case .oauth2(let provider):
            guard let name else { return }
            guard provider.answerIssuer?.isExactly(name) ?? false else { throw Self.foreign }
            return
        case .oauth1, .development:
            if name != nil { throw Self.foreign }
            return
        }
        let metadata = try await metadata(issuer)
        guard let name else {
            guard metadata.promisesIssuer else { return }
            throw .invalidResponse("The provider's answer does not name its issuer.", detail: "callback without iss")
        }
        guard issuer.answers(as: name, metadata) else { throw Self.foreign }
    }

    /// Without the name in it: any client can write one into an answer, so it stays out of the log.
    private static let foreign = ProviderError.invalidResponse(
        "The answer is from another provider.", detail: "callback with another issuer's iss")

    /// The photo of the person to whom `accessToken` belongs; `nil` when there is none, or when the provider does not offer photos.
    package func photo(accessToken: UTF8Text) async throws(ProviderError) -> Photo? {
        try await rules.photo(accessToken: accessToken, api)
    }
}
