import Glibc
package import Text

/// Reads an object that this server wrote, member by member, and makes a value only of what is asked for. `JSON.parse` reads what others
/// wrote: it notices everything that is wrong, and a name that stands twice.
///
///     var members = try MemberReader(object: bytes)
///     while try members.next() {
///         if members.isNamed("sub") { subject = try members.text() }
///     }
package struct MemberReader {
    private var parser: Parser
    private var name = 0..<0
    /// Whether the reader stands before the value of a member.
    private var hasValue = false
    private var isFirst = true

    /// - Parameter bytes: an object that this server wrote.
    package init(object bytes: [UInt8]) throws(JSONError) {
        parser = Parser(bytes: bytes, limits: .standard)
        try open()
    }

    private mutating func open() throws(JSONError) {
        parser.skipSpace()
        guard try parser.peek() == .openBrace else { throw .unexpected(at: parser.at) }
        parser.at += 1
        (isFirst, hasValue) = (true, false)
    }

    /// Goes on to the next member, past a value that was not read; `false` at the end of the object.
    package mutating func next() throws(JSONError) -> Bool {
        if hasValue { try parser.passValue() }
        hasValue = false
        parser.skipSpace()
        switch try parser.peek() {
        case .closeBrace:
            parser.at += 1
            // An object inside another one is a value that was read.
            isFirst = false
            return false
        case .comma where !isFirst: parser.at += 1
        default: guard isFirst else { throw .unexpected(at: parser.at) }
        }
        isFirst = false
        parser.skipSpace()
        guard try parser.peek() == .quote else { throw .unexpected(at: parser.at) }
        let start = parser.at + 1
        try parser.passString()
        name = start..<parser.at - 1
        parser.skipSpace()
        guard try parser.peek() == .colon else { throw .unexpected(at: parser.at) }
        parser.at += 1
        parser.skipSpace()
        hasValue = true
        return true
    }

    /// Whether the member has this name, which needs no escape in JSON.
    package func isNamed(_ text: StaticString) -> Bool {
        guard name.count == text.utf8CodeUnitCount else { return false }
        return parser.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp($0 + name.lowerBound, text.utf8Start, name.count) == 0 } ?? false
        }
    }

    /// The member's text; `nil` for another kind of value.
    package mutating func text() throws(JSONError) -> UTF8Text? {
        guard hasValue, try parser.peek() == .quote else { return nil }
        hasValue = false
        return try parser.string()
    }

    /// The member's whole number; `nil` for another kind of value.
    package mutating func integer() throws(JSONError) -> Int64? {
        guard hasValue else { return nil }
        switch try parser.peek() {
        case .minus, .zero ... .nine:
            hasValue = false
            return try parser.number().integer
        default: return nil
        }
    }

    /// Goes into the object that is the member's value; `false` for another kind of value. `next` is `false` at its end; the call after that
    /// goes on with the outer object.
    package mutating func enter() throws(JSONError) -> Bool {
        guard hasValue, try parser.peek() == .openBrace else { return false }
        try open()
        return true
    }
}

extension Parser {
    /// Passes a value of a text that is known to be JSON.
    fileprivate mutating func passValue() throws(JSONError) {
        var depth = 0
        repeat {
            switch try peek() {
            case .quote: try passString()
            case .openBrace, .openBracket:
                depth += 1
                at += 1
            case .closeBrace, .closeBracket:
                depth -= 1
                at += 1
            case .comma, .colon: at += 1
            default: passWord()
            }
            skipSpace()
        } while depth > 0
    }

    /// Passes a string, from its opening quote to behind its closing one.
    fileprivate mutating func passString() throws(JSONError) {
        at += 1
        while true {
            at = bytes.withUnsafeBytes { PlainText.scan($0, from: at).end }
            switch try peek() {
            case .quote:
                at += 1
                return
            // The character behind a backslash may be a quote.
            case .backslash: at += 2
            default: throw .controlCharacter(at: at)
            }
        }
    }

    /// Passes a number, `true`, `false` or `null`.
    private mutating func passWord() {
        while at < bytes.count {
            switch bytes[at] {
            case .comma, .closeBrace, .closeBracket, 0x20, 0x0A, 0x0D, 0x09: return
            default: at += 1
            }
        }
    }
}
