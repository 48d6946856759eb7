package import Accounts
package import Providers
package import Text

/// A sign-in that has begun: the flow with its secrets, and where the browser goes.
package struct BegunSignIn: Sendable {
    package let started: StartedFlow
    /// The provider's page.
    package let url: String
}

/// The step "begin": makes a flow, finds the page of the provider to go to, and stores the flow. One round trip to the database.
extension BrokeredProject {
    /// - Parameters:
    ///   - start: what the caller decides. Limits have been charged, and the address that gets the result has been checked.
    ///   - provider: from `provider(_:)`.
    ///   - scopes: what the app asks for besides the entry's.
    package func begin(
        _ start: SignInStart, at provider: ProviderSettings, scopes: [UTF8Text]
    ) async throws(BrokerageError) -> BegunSignIn {
        let started = brokerage.flows.prepare(start, in: settings)
        let authorization = try await authorization(of: started, at: provider, scopes: scopes)
        do {
            try await brokerage.flows.store(started, start, requestTokenSecret: authorization.requestTokenSecret)
        } catch { throw BrokerageError(error) }
        return BegunSignIn(started: started, url: authorization.url)
    }

    private func authorization(
        of started: StartedFlow, at provider: ProviderSettings, scopes: [UTF8Text]
    ) async throws(BrokerageError) -> Authorization {
        do {
            return try await configured(provider).authorize(
                redirectURI: started.flow.redirectURI, state: started.state, secrets: started.flow.secrets, scopes: scopes)
        } catch {
            let error = BrokerageError(error)
            // What the app asked for amiss is not counted: no sign-in has begun yet.
            if case .outage = error { count(provider.id, endedBy: error) }
            throw error
        }
    }

    /// A flow for a start that failed, when the app's frame is to fetch what went wrong. `record` stores it.
    package func failed(_ start: SignInStart) -> StartedFlow { brokerage.flows.prepare(start, in: settings) }

    /// Stores the flow of a start that failed, as one that has ended. Two round trips.
    ///
    /// - Parameter event: what the app's frame may fetch.
    package func record(
        _ failed: StartedFlow, of start: SignInStart, cookie: String, event: [UInt8]?
    ) async throws(BrokerageError) {
        do {
            try await brokerage.flows.store(failed, start)
            try await brokerage.flows.recordRefusal(of: failed.flow, cookie: cookie, event: event)
        } catch { throw BrokerageError(error) }
    }
}
