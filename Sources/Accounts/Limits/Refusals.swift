import Crypto
package import Logging
package import ProjectSettings
package import Runtime
import Synchronization

/// Reports refused attempts to operators: a count of each kind, and a line in the log when a bucket becomes empty.
package final class Refusals: Sendable {
    /// At most one line for each bucket in this time, and at most this many lines for all buckets, whatever an attacker does.
    private static let linesOfBucket = Rate(1, per: .seconds(60))
    private static let lines = Rate(30, per: .seconds(60))
    private static let remembered = 1000
    /// At most this many lines on refused sign-ins, so that a crowd of guesses leaves room for other events.
    private static let signInLines = Rate(6000, per: .seconds(60))

    private struct Told {
        var all = Bucket()
        var buckets: [[UInt8]: Bucket] = [:]

        mutating func mayTell(of key: [UInt8], at now: Instant) -> Bool {
            var bucket = buckets[key] ?? Bucket()
            guard bucket.take(Refusals.linesOfBucket, at: now), all.take(Refusals.lines, at: now) else { return false }
            if buckets.count >= Refusals.remembered { buckets = buckets.filter { !$0.value.isFull(at: now) } }
            buckets[key] = bucket
            return true
        }
    }

    /// A limit of a project, by its name in the file.
    package struct Limit: Hashable, Sendable {
        package let action: LimitedAction
        package let scope: LimitScope

        package init(action: LimitedAction, scope: LimitScope) {
            self.action = action
            self.scope = scope
        }
    }

    private let counters: [String: Counter]
    /// How often each limit of a project has refused a call of this process.
    private let counts = Mutex<[String: [Limit: Int]]>([:])
    private let told = Mutex(Told())
    private let signIns = Mutex((bucket: Bucket(), omitted: 0))
    private let pauses: Counter
    private let reusedTokens: Counter
    private let log: Logger

    package init(metrics: Metrics, log: Logger) {
        self.log = log
        pauses = metrics.counter(
            "gatehouse_sms_pauses_total", "Regions to which no messages were sent for an hour, since few codes were entered.")
        reusedTokens = metrics.counter(
            "gatehouse_refresh_tokens_reused_total", "Sessions that were ended, since a refresh token came back that was used already.")
        var counters: [String: Counter] = [:]
        for action in LimitedAction.allCases {
            for (scope, _) in action.standard {
                counters["\(action) \(scope)"] = metrics.counter(
                    "gatehouse_limited_total", "Calls refused by a rate limit.", ["action": action.rawValue, "by": scope.rawValue])
            }
        }
        self.counters = counters
    }

    /// Writes a line about a refused sign-in. It names the account or the hash of the address, and never what was typed.
    func note(_ refused: RefusedSignIn, at now: Instant) {
        let omitted: Int? = signIns.withLock { state in
            guard state.bucket.take(Self.signInLines, at: now) else {
                state.omitted += 1
                return nil
            }
            defer { state.omitted = 0 }
            return state.omitted
        }
        guard let omitted else { return }
        var metadata: Logger.Metadata = [
            "project": "\(refused.projectID)", "by": "\(refused.method)", "reason": "\(refused.reason)",
            "account": "\(refused.namedID ?? "-")", "email_hash": "\(refused.emailHash ?? "-")",
            "id": "\(refused.client.requestID ?? "-")",
        ]
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        log.notice("sign-in refused", metadata: metadata)
    }

    /// Tells that a session was ended, since a copy of one of its refresh tokens is in other hands.
    ///
    /// - Parameter message: how that showed.
    func noteReusedToken(of session: [UInt8], in project: String, _ message: Logger.Message) {
        reusedTokens.increment()
        log.warning(message, metadata: ["project": "\(project)", "session": "\(Hex.encode(session))"])
    }

    /// Tells that no messages go to a region for an hour.
    func notePause(of region: String, sent: Int64, entered: Int64, in project: String) {
        pauses.increment()
        log.warning(
            "no codes are sent to a region for an hour, since hardly any was entered",
            metadata: ["project": "\(project)", "region": "\(region)", "sent": "\(sent)", "entered": "\(entered)"])
    }

    /// How often each limit of a project has refused a call of this process since its start. Limits that have refused none are left out.
    package func counts(in project: ProjectSettings) -> [Limit: Int] { counts.withLock { $0[project.storageID] ?? [:] } }

    func note(_ attempt: Attempt, _ refused: Attempt.Charge, at now: Instant) {
        counters["\(refused.action) \(refused.scope)"]?.increment()
        counts.withLock { $0[attempt.projectID, default: [:]][Limit(action: refused.action, scope: refused.scope), default: 0] += 1 }
        guard told.withLock({ $0.mayTell(of: refused.key, at: now) }) else { return }
        // The e-mail address is left out, since the text that was typed may be anything.
        log.warning(
            "a rate limit is reached",
            metadata: [
                "project": "\(attempt.projectID)", "action": "\(refused.action.rawValue)", "by": "\(refused.scope.rawValue)",
                "rate": "\(refused.rate)", "bucket": "\(Hex.encode(Array(refused.key.prefix(4))))", "address": "\(attempt.address)",
            ])
    }
}
