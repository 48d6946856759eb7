import ArgumentParser
import Glibc
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
            guard let seconds = Self.seconds(text) else { return nil }
            self.init(Instant(seconds: seconds))
        }
    }

    private static func age(_ text: String) -> Duration? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), text.utf8.dropLast().allSatisfy(isDigit), let count = Int64(text.dropLast()),
            count <= 1_000_000
        else { return nil }
        return .seconds(count * unit)
    }

    private static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == 10 || bytes.count == pattern.count else { return nil }
        guard zip(bytes, pattern).allSatisfy({ $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }) else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound <= bytes.count ? bytes[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) } : 0
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        let given = parts
        let seconds = timegm(&parts)
        // timegm makes the 1st of March of a 29th of February that the year does not have.
        guard parts.tm_mon == given.tm_mon, parts.tm_mday == given.tm_mday, parts.tm_hour == given.tm_hour, parts.tm_min == given.tm_min
        else { return nil }
        return Int64(seconds)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
