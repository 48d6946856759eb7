/// Fields of an `application/x-www-form-urlencoded` body or of a query, in the order they came, duplicates kept.
///
/// `%xx` is read strictly and `+` is a space; bytes that are not UTF-8 become U+FFFD.
/// <https://url.spec.whatwg.org/#application/x-www-form-urlencoded>
/// Strays: a `%` without two hex digits refuses the whole form instead of standing for itself.
package struct Form: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)]

    /// More fields than this are refused: no caller of ours sends as many.
    package static let maximumCount = 256

    package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) { fields = elements.map { (name: $0.0, value: $0.1) } }

    /// `nil` when it is malformed or has more than `maximumCount` fields. The empty text is the empty form.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    package init?(_ bytes: [UInt8]) {
        guard let fields = bytes.withUnsafeBufferPointer(Self.fields) else { return nil }
        self.fields = fields
    }

    private static func fields(of bytes: UnsafeBufferPointer<UInt8>) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        var start = 0
        while start < bytes.count {
            let end = first(UInt8(ascii: "&"), in: bytes, start..<bytes.count)
            defer { start = end + 1 }
            if end == start { continue }
            let equals = first(UInt8(ascii: "="), in: bytes, start..<end)
            guard fields.count < maximumCount, let name = text(bytes, start..<equals),
                let value = text(bytes, min(equals + 1, end)..<end)
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// Where the byte stands; the end of the range when it is not there.
    private static func first(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        range.first { bytes[$0] == byte } ?? range.upperBound
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String? {
        let part = UnsafeBufferPointer(rebasing: bytes[range])
        // Tokens, keys and names have nothing to decode.
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: part, as: UTF8.self)
        }
        return PercentEncoding.decode(part, plusIsSpace: true).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first value of the name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Every value of the name: a caller that must not be ambiguous asks for this and refuses two.
    package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    /// `a=1&b=x+y`, in the order of the fields.
    package func encoded() -> String {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            PercentEncoding.append(field.name, to: &bytes, plusForSpace: true)
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.append(field.value, to: &bytes, plusForSpace: true)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
