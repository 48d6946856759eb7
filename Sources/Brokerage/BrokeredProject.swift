import Accounts
import Logging
import ProjectSettings
package import Providers
package import Text

/// One project's sign-ins at its providers, for one request; cheap to make.
package struct BrokeredProject: Sendable {
    let brokerage: Brokerage
    let settings: ProjectSettings
    let providers: [UTF8Text: ProviderSettings]
    let development: DevelopmentProviders?
    let log: Logger

    /// The project's entry of this provider; in development mode, what takes its place where there is none. Throws `notEnabled` when the
    /// project does not have the provider, or has switched it off.
    package func provider(_ id: UTF8Text) throws(BrokerageError) -> ProviderSettings {
        guard let provider = providers[id] ?? development?.provider(id) else { throw .notEnabled(id) }
        return provider
    }

    /// The person's photo; `nil` when the provider has none.
    package func photo(of id: UTF8Text, accessToken: UTF8Text) async throws(BrokerageError) -> Photo? {
        let provider = configured(try provider(id))
        do { return try await provider.photo(accessToken: accessToken) } catch { throw BrokerageError(error) }
    }

    /// Has the provider revoke a token that it gave; `false` when it revokes none.
    package func revoke(_ token: RevocableToken, of id: UTF8Text) async throws(BrokerageError) -> Bool {
        let provider = configured(try provider(id))
        do { return try await provider.revoke(token) } catch { throw BrokerageError(error) }
    }

    /// The provider, ready to be asked, with its requests counted.
    func configured(_ provider: ProviderSettings) -> ConfiguredProvider {
        let upstream = CountedUpstream(upstream: brokerage.upstream, provider: provider.id, requests: brokerage.requests)
        return ConfiguredProvider(provider, upstream: upstream, cache: brokerage.metadata, clock: brokerage.clock, log: log)
    }

    /// Counts a sign-in that ended before the rules of accounts were asked. What those refuse, they count themselves.
    func count(_ provider: String, endedBy error: BrokerageError) { brokerage.accounts.signIns.count(provider, error.outcome) }
}
