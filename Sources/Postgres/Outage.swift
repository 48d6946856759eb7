import Runtime

/// Whether the database can't be reached, since when, and when to try again.
struct Outage {
    private(set) var since: MonotonicTime?
    private var failures = 0

    var isUnderWay: Bool { since != nil }

    /// Notes a failed attempt and gives the delay before the next: from 0.1 s, doubling up to 5 s, between half of that and all of it by
    /// chance, so that many processes don't come back at the same moment.
    mutating func failed(at now: MonotonicTime, using generator: inout some RandomNumberGenerator) -> Duration {
        if since == nil { since = now }
        let longest: Int64 = min(5_000_000, 100_000 << Int64(min(failures, 6)))
        failures += 1
        return .microseconds(Int64.random(in: longest / 2...longest, using: &generator))
    }

    mutating func ended() {
        since = nil
        failures = 0
    }

    /// Whether it has lasted longer than a call may wait, so that waiting has no point.
    func isLonger(than patience: Duration, at now: MonotonicTime) -> Bool {
        since.map { $0 + patience <= now } ?? false
    }
}
