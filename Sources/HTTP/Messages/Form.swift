package import Text

/// Fields of an `application/x-www-form-urlencoded` body or of a query, in the order they came, duplicates kept.
///
/// Names and values are ``UTF8Text``, and the length of names is limited (SEC-49). `%xx` is read strictly and `+` is a space; bytes that
/// are not UTF-8 become U+FFFD. <https://url.spec.whatwg.org/#application/x-www-form-urlencoded>
/// Differs from the standard: a `%` without two hex digits makes the whole form invalid instead of standing for itself.
package struct Form: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: UTF8Text, value: UTF8Text)]

    /// A form with more fields is refused: no caller of ours sends as many.
    package static let maximumCount = 256
    /// A form with a longer name is refused, for the same reason.
    package static let longestName = 256

    package init() { fields = [] }

    package init(_ fields: [(name: UTF8Text, value: UTF8Text)]) { self.fields = fields }

    /// Makes a form of fields of our own.
    package init(_ fields: [(name: String, value: String)]) {
        self.fields = fields.map { (UTF8Text($0.name), UTF8Text($0.value)) }
    }

    package init(dictionaryLiteral elements: (UTF8Text, UTF8Text)...) { fields = elements.map { (name: $0.0, value: $0.1) } }

    /// `nil` when it is malformed, has more than `maximumCount` fields or a name of more than `longestName` bytes. The empty text is the
    /// empty form.
    package init?(_ text: String) { self.init(UTF8Text(text)) }

    package init?(_ text: UTF8Text) {
        guard let fields = text.withBytes(Self.fields) else { return nil }
        self.fields = fields
    }

    package init?(_ bytes: [UInt8]) {
        guard let fields = bytes.withUnsafeBytes(Self.fields) else { return nil }
        self.fields = fields
    }

    private static func fields(of bytes: UnsafeRawBufferPointer) -> [(name: UTF8Text, value: UTF8Text)]? {
        var fields: [(name: UTF8Text, value: UTF8Text)] = []
        var start = 0
        while start < bytes.count {
            let end = first(UInt8(ascii: "&"), in: bytes, start..<bytes.count)
            defer { start = end + 1 }
            if end == start { continue }
            let equals = first(UInt8(ascii: "="), in: bytes, start..<end)
            guard fields.count < maximumCount, let name = text(bytes, start..<equals), name.utf8.count <= longestName,
                let value = text(bytes, min(equals + 1, end)..<end)
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// The position of the byte; the end of the range when it does not occur.
    private static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.first { bytes[$0] == byte } ?? range.upperBound
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UTF8Text? {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        // Tokens, keys and names mostly contain nothing to decode.
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return UTF8Text(decoding: part)
        }
        return PercentEncoding.decode(part, plusIsSpace: true).map { UTF8Text(decoding: $0) }
    }

    /// The first value of the name.
    package subscript(name: UTF8Text) -> UTF8Text? { fields.first { $0.name == name }?.value }

    /// Every value of the name. A caller that cannot accept two values asks for this and refuses them.
    package func all(_ name: UTF8Text) -> [UTF8Text] { fields.compactMap { $0.name == name ? $0.value : nil } }

    /// The first of `names` that has several values, or of all names of the form; `nil` when each has at most one.
    package func firstRepeated(of names: [UTF8Text]? = nil) -> UTF8Text? {
        (names ?? fields.map(\.name)).first { name in fields.count(where: { $0.name == name }) > 1 }
    }

    package mutating func add(_ name: UTF8Text, _ value: UTF8Text) { fields.append((name, value)) }

    /// `a=1&b=x+y`, in the order of the fields.
    package func encoded() -> String {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            PercentEncoding.append(field.name.asString, to: &bytes, plusForSpace: true)
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.append(field.value.asString, to: &bytes, plusForSpace: true)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
