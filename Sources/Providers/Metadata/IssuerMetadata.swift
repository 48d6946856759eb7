import HTTP
import Runtime
import Text

extension ConfiguredProvider {
    /// The metadata of `issuer`. Throws when it is another issuer's, or when one of its endpoints may not be used.
    func metadata(_ issuer: any Issuer) async throws(ProviderError) -> ProviderMetadata {
        let metadata = try await document(of: issuer)
        if let fault = fault(of: metadata, issuer) {
            throw .unfit("The discovery document at \(issuer.documentURL) \(fault).")
        }
        return metadata
    }

    /// The discovery document, or the one that is pinned in its place; not checked.
    func document(of issuer: any Issuer) async throws(ProviderError) -> ProviderMetadata {
        if let pinned = issuer.pinnedMetadata { return pinned }
        return try await cache.document(issuer.documentURL, namedBy: origin(of: issuer), upstream, now: clock.now())
    }

    /// Who chose the issuer: an app that asks for its own tenant chooses another one than the configuration's.
    func origin(of issuer: any Issuer) -> MetadataCache.Origin {
        settings.protocol.postedIssuers.contains { issuer.documentURL.isExactly($0.documentURL) } ? .configuration : .app
    }

    /// The fault of a document, as a text to stand after its URL.
    func fault(of metadata: ProviderMetadata, _ issuer: any Issuer) -> String? {
        guard issuer.publishes(metadata.issuer) else {
            return "names the issuer \(UpstreamText.visible(metadata.issuer)), which is not the configured \(issuer.storedIssuer)"
        }
        if !settings.allowsPlainText, let endpoint = metadata.endpoints.first(where: { !$0.isSecure }) {
            return "names an endpoint without https: \(endpoint.origin)"
        }
        if let endpoint = metadata.endpoints.first(where: { !issuer.mayHaveEndpoints(at: $0.host) }) {
            return "names an endpoint on another host than the issuer's and the allowedHosts: \(endpoint.origin)"
        }
        return nil
    }
}
