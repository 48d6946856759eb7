package import ProjectSettings
package import Runtime
import Synchronization

/// Remembers how each sign-in ended until the database has it, and counts it.
///
/// A sign-in takes no round trip for its line: `SignInLogWriter` writes the lines of all sign-ins about once a second. At most
/// `room` lines wait, and at most 1,200 refusals a minute of one project; a metric counts the others. Each process has one.
package final class SignInLog: Sendable {
    /// The most lines of refusals in one project, so that a crowd of guesses neither fills the database nor takes the room of others.
    static let refusals = Rate(1200, per: .seconds(60))

    /// The reason why a line is not written.
    enum Loss: String, CaseIterable {
        /// The database has not taken lines for so long that there is no room.
        case full
        /// Too many sign-ins of the project are refused.
        case crowded
        /// The database refuses the line.
        case unwritable
    }

    fileprivate struct Waiting {
        /// By the `storageID` of their project, in the order of their time.
        var entries: [String: [SignInLogEntry]] = [:]
        var count = 0
        var lastID: Int64 = 0
        var refusals: [String: Bucket] = [:]
    }

    private let metrics: SignInMetrics
    private let room: Int
    private let waiting = Mutex(Waiting())
    private let losses: [Loss: Counter]
    private let gauge = Counter()

    /// - Parameters:
    ///   - counts: counts sign-ins, also those whose lines find no room.
    ///   - room: the most lines that wait.
    package init(_ counts: SignInMetrics, metrics: Metrics, room: Int = 10_000) {
        self.metrics = counts
        self.room = room
        losses = Dictionary(
            uniqueKeysWithValues: Loss.allCases.map { loss in
                (
                    loss,
                    metrics.counter(
                        "gatehouse_sign_in_log_lost_total", "Lines that the log of sign-ins does not have.", ["reason": loss.rawValue])
                )
            })
        metrics.gauge("gatehouse_sign_in_log_waiting", "Lines of the log of sign-ins that the database does not have yet.") { [gauge] in
            gauge.value
        }
    }

    /// Counts a sign-in, and remembers it for the log.
    ///
    /// - Parameters:
    ///   - method: the id of a provider, or a name of `SignInProvider`.
    ///   - code: the reason of a refusal; `nil` for other outcomes.
    ///   - accountID: `nil` where it is not known whose sign-in it was.
    package func note(
        _ method: String, _ outcome: SignInMetrics.Outcome, code: String? = nil, of accountID: String?, in project: ProjectSettings,
        from client: Session.ClientInfo, at now: Instant
    ) {
        metrics.count(method, outcome, in: project.id)
        let network = client.network
        let loss: Loss? = waiting.withLock { waiting in
            guard waiting.count < room else { return .full }
            guard code == nil || waiting.takeRefusal(of: project.storageID, at: now) else { return .crowded }
            let entry = SignInLogEntry(
                id: waiting.nextID(at: now), time: now, provider: method, outcome: outcome.rawValue, code: code, accountID: accountID,
                network: network)
            waiting.entries[project.storageID, default: []].append(entry)
            waiting.count += 1
            return nil
        }
        if let loss { lose(1, loss) } else { gauge.increment() }
    }

    /// The lines that wait, by the `storageID` of their project. They wait no longer.
    func take() -> [String: [SignInLogEntry]] {
        let (taken, count) = waiting.withLock { waiting in
            defer { (waiting.entries, waiting.count) = ([:], 0) }
            return (waiting.entries, waiting.count)
        }
        gauge.increment(by: -count)
        return taken
    }

    /// Lets lines wait again that could not be written, as far as there is room.
    func putBack(_ entries: some Collection<SignInLogEntry>, of project: String) {
        let kept = waiting.withLock { waiting in
            let kept = entries.prefix(room - waiting.count)
            waiting.entries[project] = kept + (waiting.entries[project] ?? [])
            waiting.count += kept.count
            return kept.count
        }
        gauge.increment(by: kept)
        lose(entries.count - kept, .full)
    }

    func lose(_ count: Int, _ loss: Loss) { losses[loss]?.increment(by: count) }
}

extension SignInLog.Waiting {
    /// The number of projects whose buckets are kept before those that are full again are forgotten.
    private static let remembered = 1000

    fileprivate mutating func takeRefusal(of project: String, at now: Instant) -> Bool {
        var bucket = refusals[project] ?? Bucket()
        guard bucket.take(SignInLog.refusals, at: now) else { return false }
        if refusals.count >= Self.remembered { refusals = refusals.filter { !$0.value.isFull(at: now) } }
        refusals[project] = bucket
        return true
    }

    /// The milliseconds since 1970 and 21 random bits: different in each process, and mostly in the order of the time, so that new lines stand
    /// together in the index.
    fileprivate mutating func nextID(at now: Instant) -> Int64 {
        lastID = max(lastID &+ 1, now.milliseconds << 21 | Int64.random(in: 0..<1 << 21))
        return lastID
    }
}
