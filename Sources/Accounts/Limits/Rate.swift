import Config
import Runtime

/// How often something may happen: `count` times at once, and again as time gives it back, `count` times a `period`.
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

    /// `60 per 10m`: 1 to 1 000 000, in 1 s to 30 d. `nil` for anything else.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "per", words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(words[0]),
            let period = Duration(text: String(words[2])), (1...1_000_000).contains(count),
            (.seconds(1)...(.seconds(30 * 86400))).contains(period)
        else { return nil }
        self.init(count, per: period)
    }

    package var description: String { "\(count) per \(period.text)" }

    /// How long one takes to come back.
    var interval: Duration { .microseconds(max(1, period.microseconds / Int64(count))) }

    /// How long an empty bucket takes to be full. A whole number of intervals, so that `count` fit in exactly.
    var span: Duration { .microseconds(interval.microseconds * Int64(count)) }
}

/// A token bucket as one moment (GCRA): the rule that `RateLimits` asks the database to follow, and what it counts log lines by.
///
/// Every take moves the moment at which the bucket is full again by one interval; a take that would move it further away than the span is
/// refused and changes nothing, so that knocking on a closed door keeps it closed for nobody.
/// <https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm>
struct Bucket: Sendable, Equatable {
    /// How far the clocks of two processes may be apart. A moment further off than that comes from a clock that was set back, or from a
    /// longer span in an earlier configuration, and is brought back to "empty now", so that nobody waits longer than one span.
    static let slack: Duration = .seconds(300)

    private(set) var fullAt: Instant

    /// A full one.
    init() { fullAt = Instant(seconds: 0) }

    func isFull(at now: Instant) -> Bool { fullAt <= now }

    mutating func take(_ rate: Rate, at now: Instant) -> Bool {
        if fullAt > now + rate.span + Self.slack { fullAt = now + rate.span }
        let next = max(fullAt, now) + rate.interval
        guard next <= now + rate.span else { return false }
        fullAt = next
        return true
    }

    /// Gives one back.
    mutating func refund(_ rate: Rate) { fullAt = fullAt - rate.interval }
}
