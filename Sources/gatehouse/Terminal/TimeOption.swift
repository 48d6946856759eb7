import ArgumentParser
import Runtime

/// A point in time on the command line: a date (`2026-11-22`), a date with a time in UTC (`2026-11-22T06:45:00Z`), or an age (`7d`).
struct TimeOption {
    let instant: Instant

    init(_ instant: Instant) { self.instant = instant }

    /// Throws, for a text of another form, what the command line then says of it.
    static func reading(_ text: String) throws -> TimeOption {
        guard let time = TimeOption(text: text, now: Clock.system.now()) else {
            throw ValidationError(
                "A time is a date (2026-11-22), a date with a time in UTC (2026-11-22T06:45:00Z), or an age (30m, 12h, 7d).")
        }
        return time
    }

    init?(text: String, now: Instant) {
        if let age = Self.age(text) {
            self.init(now - age)
        } else {
            guard let instant = Instant(utc: text) else { return nil }
            self.init(instant)
        }
    }

    private static func age(_ text: String) -> Duration? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), text.utf8.dropLast().allSatisfy(isDigit), let count = Int64(text.dropLast()),
            count <= 1_000_000
        else { return nil }
        return .seconds(count * unit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
