import Text

/// Appends JSON text to a buffer, with commas and escapes, for answers whose form is known and that are sent often.
///
///     var writer = JSONWriter()
///     writer.object { writer in
///         writer.field("expires_in", "3600")
///         writer.array("keys") { $0.value(key) }
///     }
///     return writer.bytes
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: the number of bytes to reserve.
    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest(.openBrace, .closeBrace, body)
    }

    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        try nest(.openBracket, .closeBracket, body)
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.name(name)
        try object(body)
    }

    package mutating func array(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.name(name)
        try array(body)
    }

    /// Writes a member; nothing when the value is nil, since our answers never have a null for an absent value.
    package mutating func field(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        value(text)
    }

    package mutating func field(_ name: String, _ number: Int64?) {
        guard let number else { return }
        self.name(name)
        value(number)
    }

    /// Writes a 64-bit number as a string, as Google's servers do: JavaScript would round the number.
    package mutating func field(_ name: String, decimal number: Int64?) {
        guard let number else { return }
        self.name(name)
        value(String(number))
    }

    package mutating func field(_ name: String, _ flag: Bool?) {
        guard let flag else { return }
        self.name(name)
        value(flag)
    }

    package mutating func field(_ name: String, json: JSON?) {
        guard let json else { return }
        self.name(name)
        value(json)
    }

    /// Writes a member whose value is JSON text already; it is not checked.
    package mutating func field(_ name: String, verbatim json: some Sequence<UInt8>) {
        self.name(name)
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func value(_ text: String) { quote(text, isName: false) }

    package mutating func value(_ number: Int64) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// JSON has no infinity and no NaN; they become `null`, as in JavaScript.
    package mutating func value(_ number: Double) {
        separate()
        bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
    }

    package mutating func value(_ json: JSON) {
        switch json {
        case .null:
            separate()
            bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): value(flag)
        case .integer(let number): value(number)
        case .number(let number): value(number)
        case .string(let text): value(text.asString)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let object):
            self.object {
                for member in object {
                    $0.name(member.name.asString)
                    $0.value(member.value)
                }
            }
        }
    }

    private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        bytes.append(open)
        needsComma = false
        try body(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func name(_ name: String) { quote(name, isName: true) }

    private mutating func separate() {
        if needsComma { bytes.append(.comma) }
        needsComma = true
    }

    /// Writes a text in quotes, with the comma in front of it and the colon behind a name. Most texts have nothing to escape and are written in
    /// one piece.
    private mutating func quote(_ text: String, isName: Bool) {
        let comma = needsComma
        needsComma = !isName
        var text = text
        text.withUTF8 { text in
            let plain = PlainText.scan(UnsafeRawBufferPointer(text), from: 0).end
            bytes.append(addingCapacity: text.count + 4) { output in
                if comma { output.append(.comma) }
                output.append(.quote)
                output.append(contentsOf: text[..<plain])
                if plain < text.count { return }
                output.append(.quote)
                if isName { output.append(.colon) }
            }
            if plain < text.count {
                writeEscaping(text, from: plain)
                bytes.append(.quote)
                if isName { bytes.append(.colon) }
            }
        }
    }

    /// Writes the rest of a text, from the first byte that needs an escape.
    private mutating func writeEscaping(_ text: UnsafeBufferPointer<UInt8>, from first: Int) {
        var at = first
        while at < text.count {
            escape(text[at])
            let end = PlainText.scan(UnsafeRawBufferPointer(text), from: at + 1).end
            bytes.append(contentsOf: text[(at + 1)..<end])
            at = end
        }
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(.backslash)
        switch byte {
        case .quote, .backslash: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes for which there is room, in one copy.
    fileprivate mutating func append(contentsOf bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        withUnsafeMutableBufferPointer { buffer, count in
            precondition(bytes.count <= buffer.count - count)
            count = buffer[count...].initialize(fromContentsOf: bytes)
        }
    }
}

extension JSON {
    /// Compact JSON text: no white space, members in their order.
    package func bytes() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    package func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}

extension JSON {
    /// JSON text for people: one member or element a line. Objects and arrays without any stay on their line.
    package func indentedText() -> String {
        var text = ""
        indent(into: &text, by: "")
        return text + "\n"
    }

    private func indent(into text: inout String, by margin: String) {
        let inner = margin + "  "
        switch self {
        case .array(let elements) where !elements.isEmpty:
            text += "[\n"
            for (position, element) in elements.enumerated() {
                text += (position > 0 ? ",\n" : "") + inner
                element.indent(into: &text, by: inner)
            }
            text += "\n\(margin)]"
        case .object(let object) where !object.isEmpty:
            text += "{\n"
            for (position, member) in object.enumerated() {
                text += (position > 0 ? ",\n" : "") + inner + JSON.string(member.name).text() + ": "
                member.value.indent(into: &text, by: inner)
            }
            text += "\n\(margin)}"
        default: text += self.text()
        }
    }
}
