/// Base64url without padding, as in every part of a JSON Web Token. <https://www.rfc-editor.org/rfc/rfc4648#section-5>
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String { Alphabet.text(bytes, with: Alphabet.urlSafe, padded: false) }

    /// Appends the encoded bytes to `out`, without a string in between.
    package static func append(_ bytes: [UInt8], to out: inout [UInt8]) {
        let start = out.count
        let length = Alphabet.length(bytes.count, padded: false)
        out.append(contentsOf: repeatElement(0, count: length))
        out.withUnsafeMutableBufferPointer { out in
            let place = UnsafeMutableBufferPointer(rebasing: out[start...])
            Alphabet.encode(bytes, with: Alphabet.urlSafe, into: place)
        }
    }

    /// Accepts exactly one text for each value: no padding, no white space, no other alphabet, unused bits zero. Nil for any other text.
    package static func decodeStrict(_ text: String) -> [UInt8]? { decodeStrict(text.utf8) }
    package static func decodeStrict(_ text: Substring) -> [UInt8]? { decodeStrict(text.utf8) }
    package static func decodeStrict(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Alphabet.decode(text, with: Alphabet.urlSafeValues)
    }
    package static func decodeStrict(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        text.withMemoryRebound(to: UInt8.self) { decodeStrict($0) }
    }
    package static func decodeStrict(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable { Alphabet.decode($0, with: Alphabet.urlSafeValues) }
            ?? Array(text).withUnsafeBufferPointer { Alphabet.decode($0, with: Alphabet.urlSafeValues) }
    }
}

/// Base64 as people paste it, in either alphabet, padded or not. For keys in configuration and certificates, not for tokens.
/// <https://www.rfc-editor.org/rfc/rfc4648#section-4>
package enum Base64 {
    /// The standard alphabet with padding.
    package static func encode(_ bytes: [UInt8]) -> String { Alphabet.text(bytes, with: Alphabet.standard, padded: true) }

    /// The standard alphabet without padding, as in PHC strings.
    static func encodeUnpadded(_ bytes: [UInt8]) -> String { Alphabet.text(bytes, with: Alphabet.standard, padded: false) }

    /// Nil for any other character, for padding that is not 0–2 signs to a multiple of four, and for unused bits that are set.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        let padded = digits.count
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        guard padded == digits.count || (padded % 4 == 0 && padded - digits.count <= 2) else { return nil }
        return digits.withUnsafeBufferPointer { Alphabet.decode($0, with: Alphabet.eitherValues) }
    }
}

private enum Alphabet {
    static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    static let standard = common + Array("+/".utf8)
    static let urlSafe = common + Array("-_".utf8)
    static let urlSafeValues = values(of: [urlSafe])
    static let eitherValues = values(of: [standard, urlSafe])
    /// A bit outside the 24 bits of four digits.
    static let invalid: UInt32 = 1 << 31

    /// The value of each digit at each of the four places of its group, already shifted there: 256 entries for each place.
    private static func values(of alphabets: [[UInt8]]) -> [UInt32] {
        var values = [UInt32](repeating: invalid, count: 4 * 256)
        for alphabet in alphabets {
            for (value, character) in alphabet.enumerated() {
                for place in 0..<4 { values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place) }
            }
        }
        return values
    }

    static func length(_ count: Int, padded: Bool) -> Int { padded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3 }

    static func text(_ bytes: [UInt8], with alphabet: [UInt8], padded: Bool) -> String {
        let length = length(bytes.count, padded: padded)
        return String(unsafeUninitializedCapacity: length) { out in
            encode(bytes, with: alphabet, into: UnsafeMutableBufferPointer(rebasing: out[..<length]))
            return length
        }
    }

    /// Fills `out`, which has the size of the padded or of the unpadded text.
    static func encode(_ bytes: [UInt8], with alphabet: [UInt8], into out: UnsafeMutableBufferPointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                let whole = bytes.count / 3 * 3
                var written = 0
                for index in stride(from: 0, to: whole, by: 3) {
                    let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                    out[written] = alphabet[group >> 18]
                    out[written + 1] = alphabet[group >> 12 & 63]
                    out[written + 2] = alphabet[group >> 6 & 63]
                    out[written + 3] = alphabet[group & 63]
                    written += 4
                }
                let rest = bytes.count - whole
                guard rest > 0 else { return }
                let group = Int(bytes[whole]) << 16 | (rest == 2 ? Int(bytes[whole + 1]) << 8 : 0)
                for digit in 0..<(out.count - written) {
                    out[written + digit] = digit <= rest ? alphabet[group >> (18 - 6 * digit) & 63] : UInt8(ascii: "=")
                }
            }
        }
    }

    static func decode(_ digits: UnsafeBufferPointer<UInt8>, with values: [UInt32]) -> [UInt8]? {
        guard digits.count % 4 != 1 else { return nil }
        var valid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits.count * 3 / 4) { out, count in
            values.withUnsafeBufferPointer { values in
                let whole = digits.count / 4 * 4
                var seen: UInt32 = 0
                var written = 0
                for index in stride(from: 0, to: whole, by: 4) {
                    let group =
                        values[Int(digits[index])] | values[256 + Int(digits[index + 1])] | values[512 + Int(digits[index + 2])]
                        | values[768 + Int(digits[index + 3])]
                    seen |= group
                    out[written] = UInt8(truncatingIfNeeded: group >> 16)
                    out[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
                    out[written + 2] = UInt8(truncatingIfNeeded: group)
                    written += 3
                }
                var group: UInt32 = 0
                var bits: UInt32 = 0
                for digit in digits[whole...] {
                    let value = values[768 + Int(digit)]
                    seen |= value
                    group = group << 6 | value
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        out[written] = UInt8(truncatingIfNeeded: group >> bits)
                        written += 1
                        group &= (1 << bits) - 1
                    }
                }
                count = written
                valid = group == 0 && seen < 1 << 24
            }
        }
        return valid ? bytes : nil
    }
}
