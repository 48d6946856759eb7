package import Runtime
package import Text

/// Times as databases and JSON files write them.
package enum SourceTime {
    /// Reads a date with a time, such as `2026-11-22 06:45:00.123456+01` of PostgreSQL or `2026-11-22T06:45:00.123Z`; without a time zone it is
    /// UTC. Nil for any other text.
    package static func instant(_ text: UTF8Text) -> Instant? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T") else { return nil }
        let moment = String(decoding: bytes[..<10], as: UTF8.self) + "T" + String(decoding: bytes[11..<19], as: UTF8.self) + "Z"
        guard let start = Instant(utc: moment) else { return nil }
        var rest = bytes[19...]
        var microseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard (1...9).contains(digits.count) else { return nil }
            microseconds = number((Array(digits) + Array(repeating: UInt8(ascii: "0"), count: 6)).prefix(6))
            rest = rest.dropFirst(digits.count + 1)
        }
        guard let offset = offset(Array(rest)) else { return nil }
        return start + .microseconds(microseconds) - .seconds(offset)
    }

    /// The seconds of a time zone east of Greenwich: nothing, `Z`, `+01`, `+0130`, `+01:30` or `+01:30:00`.
    private static func offset(_ text: [UInt8]) -> Int64? {
        guard let sign = text.first, text != [UInt8(ascii: "Z")] else { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard [2, 4, 6].contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        let parts = stride(from: 0, to: digits.count, by: 2).map { number(digits[$0..<$0 + 2]) }
        let seconds = parts.enumerated().reduce(0) { $0 + $1.element * [3600, 60, 1][$1.offset] }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: some Sequence<UInt8>) -> Int64 { digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } }
}
