package import Runtime
import Synchronization

/// Counts what came of Firebase's refresh tokens, so that an operator sees when no more come and the window can be closed.
package final class ExchangeMetrics: Sendable {
    enum Outcome: String, Sendable, CaseIterable {
        /// A session goes on here.
        case exchanged
        /// The token was traded before, and gave its session's tokens again.
        case repeated
        /// Google or a rule refuses the token: its person signs in again.
        case refused
        /// The client's address, or the project, has reached a limit.
        case limited
        /// Google does not answer now.
        case unavailable
        /// Google does not take this server's own credentials.
        case misconfigured
    }

    private struct Series: Hashable {
        let project: String
        let outcome: Outcome
    }

    private let metrics: Metrics
    private let counters = Mutex<[Series: Counter]>([:])

    package init(_ metrics: Metrics) { self.metrics = metrics }

    /// - Parameter project: the id of a project whose people come from Firebase.
    func count(_ outcome: Outcome, in project: String) {
        counters.withLock { counters in
            if counters[Series(project: project, outcome: outcome)] == nil {
                // All outcomes are created at once, so that a rate starts at zero.
                for outcome in Outcome.allCases {
                    counters[Series(project: project, outcome: outcome)] = metrics.counter(
                        "gatehouse_migration_exchanges_total", "Firebase's refresh tokens that were to be traded, by project and outcome.",
                        ["project": project, "outcome": outcome.rawValue])
                }
            }
            counters[Series(project: project, outcome: outcome)]?.increment()
        }
    }
}
