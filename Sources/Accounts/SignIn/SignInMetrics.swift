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

    private struct Series: Hashable {
        let method: String
        let outcome: Outcome
    }

    private let metrics: Metrics
    private let counters = Mutex<[Series: Counter]>([:])

    package init(_ metrics: Metrics) { self.metrics = metrics }

    package func count(_ method: String, _ outcome: Outcome) {
        let series = Series(method: method, outcome: outcome)
        counters.withLock { counters in
            if let counter = counters[series] { return counter.increment() }
            let counter = metrics.counter(
                "gatehouse_sign_ins_total", "Sign-ins by provider and outcome.", ["provider": method, "outcome": outcome.rawValue])
            counter.increment()
            counters[series] = counter
        }
    }
}
