import ProjectSettings
import Runtime

/// A token bucket, stored as one point in time (GCRA). `RateLimits` makes the database follow this rule, and the log lines are limited by
/// it.
///
/// Every take moves the time at which the bucket is full again by one interval. A take that would move it further away than the span is
/// refused and changes nothing, so that refused attempts do not extend the wait.
/// <https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm>
struct Bucket: Sendable, Equatable {
    /// How far the clocks of two processes may differ. A time that is further off comes from a clock that was set back, or from a longer
    /// span in an earlier configuration. It is corrected to "empty now", so that a wait is never longer than one span.
    static let slack: Duration = .seconds(300)

    private(set) var fullAt: Instant

    /// A full bucket.
    init() { fullAt = Instant(seconds: 0) }

    func isFull(at now: Instant) -> Bool { fullAt <= now }

    mutating func take(_ rate: Rate, at now: Instant) -> Bool {
        if fullAt > now + rate.span + Self.slack { fullAt = now + rate.span }
        let next = max(fullAt, now) + rate.interval
        guard next <= now + rate.span else { return false }
        fullAt = next
        return true
    }

    /// Returns one. The server does this in SQL, which tests compare with this rule.
    mutating func refund(_ rate: Rate) { fullAt = fullAt - rate.interval }
}
