import Providers
package import Runtime
import Synchronization

/// Sign-ins by provider and outcome. Providers come from the configuration and outcomes from this list, so the series are bounded.
package final class SignInMetrics: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case signedIn = "signed_in"
        case created, linked, refused
        case providerUnavailable = "provider_unavailable"
        case needsConfirmation = "needs_confirmation"
    }

    /// Counts a sign-in that a provider's answer, or the want of one, has ended.
    package func count(_ provider: String, endedBy error: any Error) {
        if case ProviderError.unavailable = error { count(provider, .providerUnavailable) } else { count(provider, .refused) }
    }

    private let metrics: Metrics
    private let counters = Mutex<[String: Counter]>([:])

    package init(_ metrics: Metrics) { self.metrics = metrics }

    /// - Parameter provider: the id of a configured provider.
    package func count(_ provider: String, _ outcome: Outcome) {
        counters.withLock { counters in
            let key = "\(provider) \(outcome.rawValue)"
            if let counter = counters[key] { return counter.increment() }
            let counter = metrics.counter(
                "gatehouse_sign_ins_total", "Sign-ins by provider and outcome.", ["provider": provider, "outcome": outcome.rawValue])
            counter.increment()
            counters[key] = counter
        }
    }
}
