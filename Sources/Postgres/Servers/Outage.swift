import Runtime

/// Whether the database is unreachable, since when, and when to try again.
struct Outage {
    private(set) var since: MonotonicTime?
    private var failures = 0

    var isUnderWay: Bool { since != nil }

    /// Records a failed attempt and returns the delay before the next one: from 0.05–0.1 s, doubling up to 2.5–5 s. `chance` (0 to 1)
    /// decides the second half of the delay, so that many processes do not come back at the same moment.
    mutating func failed(at now: MonotonicTime, chance: Double) -> Duration {
        if since == nil { since = now }
        let half = min(2_500_000, 50_000 << min(failures, 6))
        failures += 1
        return .microseconds(half + Int(Double(half) * chance))
    }

    mutating func ended() {
        since = nil
        failures = 0
    }

    /// Whether it has lasted longer than a call may wait, so that waiting is useless.
    func isLonger(than patience: Duration, at now: MonotonicTime) -> Bool {
        since.map { $0 + patience <= now } ?? false
    }
}
