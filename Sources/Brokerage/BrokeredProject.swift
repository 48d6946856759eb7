package import Accounts
import Logging
package import ProjectSettings
package import Providers
import Runtime
package import Text

/// One project's sign-ins at its providers, for one request; cheap to make.
package struct BrokeredProject: Sendable {
    let brokerage: Brokerage
    let settings: ProjectSettings
    /// Those that are switched on, by their ids.
    let providers: [UTF8Text: ProviderSettings]
    /// The ids of all that the project's file names.
    let named: Set<UTF8Text>
    let development: DevelopmentProviders?
    /// The client of the request.
    let client: Session.ClientInfo
    let log: Logger

    /// The project's entry of this provider; in development mode, what takes its place where there is none. Throws `notEnabled` when the
    /// project does not have the provider, or has switched it off.
    package func provider(_ id: UTF8Text) throws(BrokerageError) -> ProviderSettings {
        guard let provider = providers[id] ?? development?.provider(id) else { throw .notEnabled(id, hasEntry: named.contains(id)) }
        return provider
    }

    /// Charges the step `begin` (`startSignIn`) or `redeem` (`federatedSignIn`), in one round trip. The features call it before the step,
    /// since the page of an SDK also stores what failed before a sign-in began. Throws `tooManyAttempts` or `quotaExceeded`.
    package func charge(_ step: LimitedAction, from client: Session.ClientInfo) async throws(AccountError) {
        try await brokerage.accounts.limits.charge(step, in: settings, from: client)
    }

    /// The person's photo; `nil` when the provider has none.
    package func photo(of id: UTF8Text, accessToken: UTF8Text) async throws(BrokerageError) -> Photo? {
        let provider = try provider(id)
        do { return try await configured(provider).photo(accessToken: accessToken) } catch { throw at(provider.id, BrokerageError(error)) }
    }

    /// Has the provider revoke a token that it gave; `false` when it revokes none.
    package func revoke(_ token: RevocableToken, of id: UTF8Text) async throws(BrokerageError) -> Bool {
        let provider = try provider(id)
        do { return try await configured(provider).revoke(token) } catch { throw at(provider.id, BrokerageError(error)) }
    }

    /// The provider, ready to be asked, with its requests counted.
    func configured(_ provider: ProviderSettings) -> ConfiguredProvider {
        let upstream = CountedUpstream(upstream: brokerage.upstream, provider: provider.id, requests: brokerage.requests)
        return ConfiguredProvider(provider, upstream: upstream, cache: brokerage.metadata, clock: brokerage.clock, log: log)
    }

    /// Counts and logs a sign-in that ended before the rules of accounts were asked. What those refuse, they count themselves.
    func count(_ provider: String, endedBy error: BrokerageError) {
        brokerage.accounts.signIns.note(
            provider, error.outcome, code: error.code, of: nil, in: settings, from: client, at: brokerage.clock.now())
    }

    /// The error as the log is to name it: one that is logged has its provider and this project.
    func at(_ provider: String, _ error: BrokerageError) -> BrokerageError {
        if case .at = error { return error }
        return error.logDetail == nil ? error : .at(provider: provider, project: settings.id, error)
    }
}
