/// Sign-in with upstream services: Microsoft and any OpenID Connect issuer.
///
/// A `Provider` describes a service, `ProviderSettings` is what an operator has configured for it, and a `ConfiguredProvider` is both
/// together with a loop's `Upstream`, ready to run. Both ways to sign in go through the same checks: the redirect (`authorize`, then
/// `redeem` with the answer) and the credential that an app sends (`verify`). `Flow/` does what the standard says, `Metadata/` knows the
/// issuer's endpoints and keys, and an `Issuer` (`OpenID/`, `Catalog/Microsoft/`) has the rules that differ. Which account belongs to the person,
/// and whether accounts are joined, is decided in `Accounts`.
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

    var api: ProviderAPI { ProviderAPI(upstream: upstream, log: log) }

    /// The discovery document of `issuer`. Throws when it is not the right one, or when one of its endpoints may not be used.
    func metadata(_ issuer: any Issuer) async throws(ProviderError) -> ProviderMetadata {
        let metadata = try await cache.document(issuer.documentURL, namedBy: origin(of: issuer), upstream, now: clock.now())
        if let fault = fault(of: metadata, issuer) {
            throw .unfit("The discovery document at \(issuer.documentURL) \(fault).")
        }
        return metadata
    }

    /// Who chose the issuer: an app that asks for its own tenant chooses another one than the configuration's.
    func origin(of issuer: any Issuer) -> MetadataCache.Origin {
        issuer.documentURL.isExactly(settings.issuer.documentURL) ? .configuration : .app
    }

    /// The fault of a document, as a text to stand after its URL.
    func fault(of metadata: ProviderMetadata, _ issuer: any Issuer) -> String? {
        guard issuer.publishes(metadata.issuer) else {
            return "names the issuer \(UpstreamText.visible(metadata.issuer)), which is not the configured \(issuer.storedIssuer)"
        }
        if !settings.allowsPlainText, let endpoint = metadata.endpoints.first(where: { !$0.isSecure }) {
            return "names an endpoint without https: \(endpoint.origin)"
        }
        return nil
    }

    /// Checks the `iss` of the provider's answer: compared whenever it is there, and required where the issuer promises it.
    /// <https://www.rfc-editor.org/rfc/rfc9207#section-2.4>
    package func checkIssuer(_ name: UTF8Text?) async throws(ProviderError) {
        let metadata = try await metadata(settings.issuer)
        guard let name else {
            guard metadata.promisesIssuer else { return }
            throw .invalidResponse("The provider's answer does not name its issuer.", detail: "callback without iss")
        }
        guard settings.issuer.answers(as: name, metadata) else {
            throw .invalidResponse("The answer is from another provider.", detail: "callback with iss \(UpstreamText.visible(name))")
        }
    }

    /// The photo of the person to whom `accessToken` belongs; `nil` when there is none, or when the provider does not offer photos.
    package func photo(accessToken: UTF8Text) async throws(ProviderError) -> Photo? {
        try await settings.issuer.photo(accessToken: accessToken, api)
    }
}
