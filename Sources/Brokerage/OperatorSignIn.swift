package import Accounts
package import HTTP
package import Identity
package import Logging
package import Providers
package import Runtime

/// The person that a sign-in at the provider of the console has proven.
package struct ProvenOperator: Sendable {
    package let identity: ProviderIdentity
    /// When the person proved themselves to the provider; `nil` where it does not say that.
    package let signedInAt: Instant?
}

/// A sign-in of an operator at the provider of the console: the same requests and the same checks as for the people of projects, without an
/// account at its end.
extension Brokerage {
    /// The provider's page at which the operator proves who they are.
    ///
    /// - Parameter redirectURI: the console's own, which the operator of the server registered with the provider.
    package func authorizationURL(
        for flow: OperatorFlows.Flow, at provider: ProviderSettings, redirectURI: String, log: Logger
    ) async throws(BrokerageError) -> String {
        do {
            return try await configured(provider, log).authorize(
                redirectURI: redirectURI, state: flow.state, secrets: flow.secrets, scopes: []
            ).url
        } catch { throw BrokerageError(error) }
    }

    /// The person that the provider's answer proves.
    ///
    /// - Parameters:
    ///   - answer: the fields of the answer. Its `state` opened the flow.
    ///   - flow: as it began in the same browser.
    package func person(
        of answer: Form, _ flow: OperatorFlows.Flow, at provider: ProviderSettings, redirectURI: String, log: Logger
    ) async throws(BrokerageError) -> ProvenOperator {
        let answer = try ProviderAnswer(answer)
        let configured = configured(provider, log)
        try await answer.check(of: configured)
        if let refusal = answer.refusal { throw refusal }
        do {
            let result = try await configured.redeem(answer: answer.form, redirectURI: redirectURI, secrets: flow.secrets)
            return ProvenOperator(identity: result.identity.kept, signedInAt: try result.authenticationTime(at: clock.now()))
        } catch { throw BrokerageError(error) }
    }

    private func configured(_ provider: ProviderSettings, _ log: Logger) -> ConfiguredProvider {
        let upstream = CountedUpstream(upstream: upstream, provider: provider.id, requests: requests)
        return ConfiguredProvider(provider, upstream: upstream, cache: metadata, clock: clock, log: log)
    }
}
