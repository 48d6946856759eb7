import Glibc

/// A point on the machine's monotonic clock. It can be compared and subtracted, and has no date.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static func read() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (time: Self, delay: Duration) -> Self {
        let (seconds, attoseconds) = delay.components
        return MonotonicTime(nanoseconds: time.nanoseconds &+ UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    /// Whole microseconds since `earlier`, 0 when `earlier` is later.
    package func microseconds(since earlier: Self) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1000 : 0
    }
}

/// A point in time, as microseconds since 1970-01-01T00:00:00Z, which is PostgreSQL's resolution.
///
/// Times come from outside, too. One that is too far away (292,000 years) becomes the last or the first one that there is.
package struct Instant: Comparable, Hashable, Sendable {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }
    package init(milliseconds: Int64) {
        let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        microseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down, as JWT claims and `validSince` have them.
    package var seconds: Int64 { microseconds >= 0 ? microseconds / 1_000_000 : (microseconds + 1) / 1_000_000 - 1 }
    /// The start of the next second.
    package var nextSecond: Instant { Instant(seconds: seconds == .max ? .max : seconds + 1) }
    /// Whether this time is in an earlier second than `other`.
    ///
    /// A time that another party gives in whole seconds is up to a second earlier than what it stands for. So only then is it certain that
    /// the one came before the other.
    package func isInEarlierSecond(than other: Instant) -> Bool { nextSecond <= other }
    /// Whole milliseconds since 1970, as `createdAt` and `lastLoginAt` have them.
    package var milliseconds: Int64 { microseconds / 1000 }

    package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
    package static func + (time: Self, delay: Duration) -> Self {
        let (sum, overflow) = time.microseconds.addingReportingOverflow(delay.microseconds)
        return Instant(microseconds: overflow ? (delay < .zero ? .min : .max) : sum)
    }
    package static func - (time: Self, delay: Duration) -> Self { time.less(delay.microseconds) }
    package static func - (left: Self, right: Self) -> Duration { .microseconds(left.less(right.microseconds).microseconds) }

    private func less(_ amount: Int64) -> Self {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(amount)
        return Instant(microseconds: overflow ? (amount > 0 ? .min : .max) : difference)
    }
}

extension Duration {
    package var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
    package var wholeSeconds: Int64 { components.seconds }
}

/// The source of the time: the system's clock in production, a fixed time in tests.
package struct Clock: Sendable {
    package let now: @Sendable () -> Instant
    package init(now: @escaping @Sendable () -> Instant) { self.now = now }

    package static let system = Clock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
