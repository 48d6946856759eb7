import Config
import Runtime

/// A rate limit: `count` times at once, and then `count` times in each `period`.
package struct Rate: Sendable, Equatable, CustomStringConvertible {
    package let count: Int
    package let period: Duration

    /// - Parameters:
    ///   - count: at least 1.
    ///   - period: at least a second.
    package init(_ count: Int, per period: Duration) {
        self.count = max(1, count)
        self.period = max(.seconds(1), period)
    }

    /// Reads `60 per 10m`: 1 to 1 000 000, in 1 s to 30 d. `nil` for anything else.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "per", words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(words[0]),
            let period = Duration(text: String(words[2])), (1...1_000_000).contains(count),
            (.seconds(1)...(.seconds(30 * 86400))).contains(period)
        else { return nil }
        self.init(count, per: period)
    }

    package var description: String { "\(count) per \(period.text)" }

    /// The time in which one attempt comes back.
    var interval: Duration { .microseconds(max(1, period.microseconds / Int64(count))) }

    /// The time in which an empty bucket becomes full: a whole number of intervals, so that exactly `count` fit in.
    var span: Duration { .microseconds(interval.microseconds * Int64(count)) }
}

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

    /// Returns one.
    mutating func refund(_ rate: Rate) { fullAt = fullAt - rate.interval }
}
