import Accounts
import Runtime
import Synchronization

/// Counts copies of accounts to Firebase projects, and tells how far behind they are.
final class MirrorMetrics: Sendable {
    enum Outcome: String, Sendable, CaseIterable {
        case copied
        /// Without its password, since the record there has a second factor that no call gives back, or Google does not check hashes of its scheme.
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
    private struct Series: Hashable {
        let project: String
        let firebase: String
        let purpose: String
    }

    /// When the oldest change was made that is being copied, or waits; one without such a change has a series, too.
    private let waiting = Mutex<[Series: Instant?]>([:])
    private let clock: Clock

    init(_ metrics: Metrics, clock: Clock) {
        self.metrics = metrics
        self.clock = clock
        outcomes = OutcomeCounters(
            metrics, "gatehouse_migration_mirrored_total", "Copies of changed accounts to Firebase, by project and outcome.")
    }

    func count(_ outcome: Outcome, _ number: Int = 1, in project: String) { outcomes.count(outcome, number, in: project) }

    /// - Parameter since: when the oldest change was made that is not copied; `nil` when all are.
    func note(since: Instant?, _ target: AccountMirror.Target, in project: String) {
        let series = Series(project: project, firebase: target.id, purpose: target.purpose)
        guard waiting.withLock({ $0.updateValue(since, forKey: series) }) == nil else { return }
        count(.copied, 0, in: project)
        metrics.gauge(
            "gatehouse_migration_mirror_behind_seconds",
            "Age of the oldest change of an account that is not copied to Firebase, beyond the time that it has to wait.",
            ["project": project, "firebase": target.id, "purpose": target.purpose]
        ) { [weak self] in
            guard let self, let since = waiting.withLock({ $0[series] ?? nil }) else { return 0 }
            return Int(max(0, (clock.now() - since - target.delay).wholeSeconds))
        }
    }
}
