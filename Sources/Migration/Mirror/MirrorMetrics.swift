import Runtime
import Synchronization

/// Counts copies of accounts to Firebase projects, and tells how far behind they are.
final class MirrorMetrics: Sendable {
    enum Outcome: String, Sendable, CaseIterable {
        case copied
        /// Without its password, since the record there has a second factor that no call gives back.
        case partly
        case deleted
        /// An account that came from Firebase, and is not there any more, stays so.
        case gone
        /// Firebase does not take the account; the log says why.
        case refused
        /// Google or the database did not answer; the changes are copied later.
        case heldUp
    }

    private let metrics: Metrics
    private let outcomes: OutcomeCounters<Outcome>
    /// When the oldest change was made that is being copied, or waits, by project; a project without one has a series, too.
    private let behind = Mutex<[String: Instant?]>([:])
    private let clock: Clock

    init(_ metrics: Metrics, clock: Clock) {
        self.metrics = metrics
        self.clock = clock
        outcomes = OutcomeCounters(
            metrics, "gatehouse_migration_mirrored_total", "Copies of changed accounts to Firebase, by project and outcome.")
    }

    func count(_ outcome: Outcome, _ number: Int = 1, in project: String) { outcomes.count(outcome, number, in: project) }

    /// - Parameter since: when the oldest change was made that is not copied; `nil` when all are.
    func isBehind(since: Instant?, in project: String) {
        guard behind.withLock({ $0.updateValue(since, forKey: project) }) == nil else { return }
        count(.copied, 0, in: project)
        metrics.gauge(
            "gatehouse_migration_mirror_behind_seconds",
            "Age of the oldest change of an account that is not copied to Firebase, by project.",
            ["project": project]
        ) { [weak self] in
            guard let self, let since = behind.withLock({ $0[project] ?? nil }) else { return 0 }
            return Int(max(0, (clock.now() - since).wholeSeconds))
        }
    }
}
