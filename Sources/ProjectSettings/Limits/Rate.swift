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
    package var interval: Duration { .microseconds(max(1, period.microseconds / Int64(count))) }

    /// The time in which an empty bucket becomes full: a whole number of intervals, so that exactly `count` fit in.
    package var span: Duration { .microseconds(interval.microseconds * Int64(count)) }
}
