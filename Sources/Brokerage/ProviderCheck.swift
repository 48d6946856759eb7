package import Logging
package import Providers

extension Brokerage {
    /// Asks a provider what `gatehouse check --live` asks: sentences on what an operator must fix before people can sign in; empty when all is well.
    ///
    /// - Parameter redirectURI: the address that the operator should have registered.
    package func diagnose(_ provider: ProviderSettings, redirectURI: String, log: Logger) async -> [String] {
        let upstream = CountedUpstream(upstream: upstream, provider: provider.id, requests: requests)
        // Without the memory of what the provider said before.
        return await ConfiguredProvider(provider, upstream: upstream, cache: MetadataCache(), clock: clock, log: log)
            .diagnose(redirectURI: redirectURI)
    }
}
