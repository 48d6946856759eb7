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
    ///   - start: what the caller decides. The step has been charged, and the address that gets the result has been checked.
    ///   - provider: from `provider(_:)`.
    ///   - scopes: what the app asks for besides the entry's.
    package func begin(
        _ start: SignInStart, at provider: ProviderSettings, scopes: [UTF8Text]
    ) async throws(BrokerageError) -> BegunSignIn {
        let started = brokerage.accounts.signIn.flows.prepare(start, in: settings)
        let authorization = try await authorization(of: started, at: provider, scopes: scopes)
        do {
            try await brokerage.accounts.signIn.flows.store(started, start, requestToken: authorization.requestToken)
        } catch { throw BrokerageError(error) }
        return BegunSignIn(started: started, url: authorization.url)
    }

    private func authorization(
        of started: StartedFlow, at provider: ProviderSettings, scopes: [UTF8Text]
    ) async throws(BrokerageError) -> Authorization {
        do {
            return try await configured(provider).authorize(
                redirectURI: started.flow.redirectURI, state: started.state.text, secrets: started.flow.secrets, scopes: scopes)
        } catch {
            let error = BrokerageError(error)
            // Mistakes of the app are not counted, because no sign-in has begun yet.
            if case .outage = error { count(provider.id, endedBy: error) }
            throw at(provider.id, error)
        }
    }

    /// Makes a flow for a start that failed, by which the app is told. `record` stores it.
    package func failed(_ start: SignInStart) -> StartedFlow { brokerage.accounts.signIn.flows.prepare(start, in: settings) }

    /// Stores the flow of a start that failed, as one that has ended. One round trip.
    ///
    /// - Parameter event: what the app's frame may fetch. Without an event, as for a native app, nothing is stored, since nothing of the
    ///   flow could be read.
    package func record(_ failed: StartedFlow, of start: SignInStart, event: [UInt8]?) async throws(BrokerageError) {
        guard let event else { return }
        do { try await brokerage.accounts.signIn.flows.store(failed, start, failure: event) } catch { throw BrokerageError(error) }
    }
}
