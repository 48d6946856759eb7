/// Reads hexadecimal digits in both cases, and writes them in lower case.
package enum Hex {
    package static func encode(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16)
            text += String(byte & 15, radix: 16)
        }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(digit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Only ASCII, since Unicode has digits that look the same.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
