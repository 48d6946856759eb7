package import Runtime
import Synchronization

/// Counts sign-ins by way (a provider's id, or a name of `SignInProvider`) and outcome. Ways come from the configuration and from the
/// code, outcomes from this list, so the number of series is bounded.
package final class SignInMetrics: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case signedIn = "signed_in"
        case created, linked, refused
        case providerUnavailable = "provider_unavailable"
        case needsConfirmation = "needs_confirmation"
    }

    private let metrics: Metrics
    private let counters = Mutex<[String: Counter]>([:])

    package init(_ metrics: Metrics) { self.metrics = metrics }

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
