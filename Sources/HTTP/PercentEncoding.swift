/// Reads and writes `%xx` in URLs, forms and cookies.
package enum PercentEncoding {
    /// Encodes everything except letters, digits, `-`, `.`, `_` and `~` as `%XX` of its UTF-8, which is safe in any part of a URL.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text, to: &bytes, plusForSpace: false)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The decoded bytes; `nil` when a `%` is not followed by two hex digits.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The decoded text; `nil` when a `%` is not followed by two hex digits or the result is not UTF-8.
    package static func decode(_ text: String) -> String? {
        decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func append(_ text: String, to bytes: inout [UInt8], plusForSpace: Bool) {
        for byte in text.utf8 {
            switch byte {
            case _ where byte.isUnreserved: bytes.append(byte)
            case 0x20 where plusForSpace: bytes.append(UInt8(ascii: "+"))
            default: append(byte, to: &bytes)
            }
        }
    }

    /// Appends `%XX` of the byte.
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexDigit(byte >> 4))
        bytes.append(hexDigit(byte & 15))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

/// Byte classes of RFC 3986 and RFC 9110.
extension UInt8 {
    /// The value of a hex digit.
    package var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    var isDigit: Bool { (0x30...0x39).contains(self) }

    var isAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Letters, digits, `-`, `.`, `_`, `~`.
    var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// `pchar` without `%`: the characters that a path segment may contain unencoded.
    var isPathCharacter: Bool {
        switch self {
        case _ where isUnreserved: true
        case 0x21, 0x24, 0x26...0x2C, 0x3A, 0x3B, 0x3D, 0x40: true  // ! $ & ' ( ) * + , : ; = @
        default: false
        }
    }

    /// `tchar`: the characters of methods, header names and cookie names.
    package var isToken: Bool {
        switch self {
        case _ where isAlphanumeric: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
