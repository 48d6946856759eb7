import Glibc

/// Text from outside: compared, ordered, hashed and searched by its UTF-8 bytes (SEC-49).
///
/// Swift compares and hashes a `String` by canonical equivalence: it decomposes both sides and sorts every run of combining marks, in a
/// time that grows with the square of the run. A sender that chooses the text can keep a thread busy for minutes that way. And two texts
/// that are different in the database can be equal in the program. So JSON, forms, headers, cookies, queries and path parameters give this
/// type and never a `String`. No operation of it costs more than one pass over the bytes, and only those that make a new text allocate
/// memory.
///
/// ``asString`` is the only way to a `String`: to store, to send and to print the text. Every decision by the text (a comparison, a
/// lookup, a search, a cut) uses this type, or ``utf8``.
package struct UTF8Text: Sendable {
    package let asString: String

    package init(_ text: String) { asString = text }
    package init(_ text: Substring) { asString = String(text) }
    package init(_ bytes: Substring.UTF8View) { asString = String(Substring(bytes)) }

    /// The text of bytes that should be UTF-8; every invalid part becomes U+FFFD.
    package init(decoding bytes: some Collection<UInt8>) { asString = String(decoding: bytes, as: UTF8.self) }

    /// The same without the cost of a generic call, since every request does this several times.
    package init(decoding bytes: UnsafeRawBufferPointer) { asString = String(decoding: bytes, as: UTF8.self) }

    /// The text of the bytes; nil when they are not UTF-8.
    package init?(validating bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        asString = text
    }

    package var utf8: String.UTF8View { asString.utf8 }
    package var isEmpty: Bool { asString.isEmpty }

    /// Gives access to the bytes without a copy.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        var text = asString
        return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}

extension UTF8Text: Hashable, Comparable {
    package static func == (left: UTF8Text, right: UTF8Text) -> Bool { Self.areEqual(left.asString, right.asString) }

    /// Compares with a text of our own: a setting, a stored value.
    package static func == (left: UTF8Text, right: String) -> Bool { Self.areEqual(left.asString, right) }
    package static func == (left: String, right: UTF8Text) -> Bool { Self.areEqual(left, right.asString) }
    package static func != (left: UTF8Text, right: String) -> Bool { !Self.areEqual(left.asString, right) }
    package static func != (left: String, right: UTF8Text) -> Bool { !Self.areEqual(left, right.asString) }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        // Two values with the same bits are the same text. Equal texts of up to 15 bytes mostly have the same bits, since they are stored
        // inside the value.
        typealias Bits = (UInt64, UInt64)
        return unsafeBitCast(left, to: Bits.self) == unsafeBitCast(right, to: Bits.self) || compare(left, right) == 0
    }

    /// Compares the bytes, which gives the order of the code points.
    package static func < (left: UTF8Text, right: UTF8Text) -> Bool { compare(left.asString, right.asString) < 0 }

    /// Negative, zero or positive, like `memcmp`. When one text begins with the other, the shorter one is first.
    static func compare(_ left: String, _ right: String) -> Int {
        // Like `withUTF8`, but for texts that do not change: `withUTF8` needs a variable, and so a copy.
        let order = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.count - right.count }
                let order = memcmp(first, second, min(left.count, right.count))
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
        guard case .some(.some(let order)) = order else { preconditionFailure("only texts of Objective-C lack UTF-8 storage") }
        return order
    }

    package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // This byte never occurs in UTF-8, so two texts of which one begins with the other have different hashes.
        hasher.combine(UInt8(0xFF))
    }
}

extension UTF8Text: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { asString = text }
}

extension UTF8Text: CustomStringConvertible {
    package var description: String { asString }
}

extension UTF8Text: Codable, CodingKeyRepresentable {
    package init(from decoder: any Decoder) throws { asString = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(asString)
    }

    package var codingKey: any CodingKey { Key(stringValue: asString) }

    package init?(codingKey: some CodingKey) { asString = codingKey.stringValue }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// The case whose raw value has exactly these bytes.
    ///
    /// For text from outside; `init(rawValue:)` would compare by canonical equivalence.
    package init?(exactly text: UTF8Text) {
        guard let found = Self.allCases.first(where: { text == $0.rawValue }) else { return nil }
        self = found
    }
}

extension String {
    /// Whether both have the same bytes. For texts of our own that came from outside once, such as a stored address.
    package func isExactly(_ other: String?) -> Bool { other.map { UTF8Text(self) == $0 } ?? false }

    /// Whether this is `text` byte for byte.
    package func isExactly(_ other: UTF8Text?) -> Bool { other.map { $0 == self } ?? false }
}

extension UTF8Text {
    /// The parts before and behind the first of these characters; the second is `nil` without one. `nil` where one of the two is empty.
    package func halves(at separator: UInt8) -> (UTF8Text, UTF8Text?)? {
        guard let place = utf8.firstIndex(of: separator) else { return isEmpty ? nil : (self, nil) }
        let (first, second) = (UTF8Text(utf8[..<place]), UTF8Text(utf8[place...].dropFirst()))
        return first.isEmpty || second.isEmpty ? nil : (first, second)
    }
}
