import Synchronization

/// Counts what came of one kind of work, by project and outcome.
package final class OutcomeCounters<Outcome: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    private struct Series: Hashable {
        let project: String
        let outcome: String
    }

    private let metrics: Metrics
    private let name: String
    private let help: String
    private let counters = Mutex<[Series: Counter]>([:])

    /// - Parameters:
    ///   - name: the name of the metric.
    ///   - help: the sentence that the metric is shown with.
    package init(_ metrics: Metrics, _ name: String, _ help: String) {
        self.metrics = metrics
        self.name = name
        self.help = help
    }

    /// - Parameter project: the id of a configured project.
    package func count(_ outcome: Outcome, _ number: Int = 1, in project: String) {
        counters.withLock { counters in
            let series = Series(project: project, outcome: outcome.rawValue)
            if counters[series] == nil {
                // All outcomes are created at once, so that a rate starts at zero.
                for outcome in Outcome.allCases {
                    counters[Series(project: project, outcome: outcome.rawValue)] = metrics.counter(
                        name, help, ["project": project, "outcome": outcome.rawValue])
                }
            }
            counters[series]?.increment(by: number)
        }
    }
}
