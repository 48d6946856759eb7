import Glibc

extension Instant {
    /// Reads a date (`2026-11-22`, the beginning of that day) or a date with a time (`2026-11-22T06:45:00Z`), both in UTC; `nil` for every
    /// other text, and for a day that the calendar does not have.
    package init?(utc text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == 10 || bytes.count == pattern.count else { return nil }
        guard zip(bytes, pattern).allSatisfy({ $1 == UInt8(ascii: "0") ? (0x30...0x39).contains($0) : $0 == $1 }) else { return nil }
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
        self.init(seconds: Int64(seconds))
    }
}
