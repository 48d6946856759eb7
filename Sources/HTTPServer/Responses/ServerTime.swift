import Runtime

/// The date for answers and log lines, formatted once a second.
struct ServerTime {
    private let clock: Clock
    private var second = MonotonicTime(nanoseconds: 0)
    private var next = MonotonicTime(nanoseconds: 0)
    /// The whole field line: `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF.
    private(set) var dateField: [UInt8] = []
    /// RFC 3339 up to the second: `1994-11-06T08:49:37`.
    private(set) var timestamp: [UInt8] = []

    init(clock: Clock) { self.clock = clock }

    /// Reads the clock when `now` is in another second than before.
    mutating func update(_ now: MonotonicTime) {
        guard now >= next || now < second else { return }
        let date = clock.now()
        let passed = UInt64(date.microseconds - date.seconds * 1_000_000) * 1000
        second = MonotonicTime(nanoseconds: now.nanoseconds - min(passed, now.nanoseconds))
        next = MonotonicTime(nanoseconds: now.nanoseconds + 1_000_000_000 - passed)
        dateField = Array("Date: \(InternetDate.http(date))\r\n".utf8)
        timestamp = Array(Timestamp.text(date).utf8.prefix(19))
    }

    /// The milliseconds behind the timestamp's second.
    func milliseconds(_ now: MonotonicTime) -> Int { Int(min(999, now.microseconds(since: second) / 1000)) }
}
