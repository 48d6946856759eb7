/// Base32, in which apps for one-time passwords take their secrets. <https://www.rfc-editor.org/rfc/rfc4648#section-6>
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Capital letters without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        var (bits, width) = (0, 0)
        for byte in bytes {
            bits = (bits << 8 | Int(byte)) & 0xFFF
            width += 8
            while width >= 5 {
                width -= 5
                digits.append(alphabet[bits >> width & 31])
            }
        }
        if width > 0 { digits.append(alphabet[bits << (5 - width) & 31]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads letters of both cases, with or without padding. Nil for any other character, and for a text that no bytes have.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        guard digits.count == text.utf8.count || text.utf8.count % 8 == 0, [0, 2, 4, 5, 7].contains(digits.count % 8) else { return nil }
        var bytes: [UInt8] = []
        var (bits, width) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            bits = (bits << 5 | value) & 0xFFF
            width += 5
            guard width >= 8 else { continue }
            width -= 8
            bytes.append(UInt8(bits >> width & 0xFF))
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(digit - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
