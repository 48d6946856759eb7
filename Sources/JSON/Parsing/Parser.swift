import Text

extension JSON {
    /// Limits on the size and the nesting of a text.
    package struct Limits: Sendable {
        package var bytes: Int
        package var depth: Int
        /// The limit for the name of one member.
        package var nameBytes: Int

        package init(bytes: Int = 1 << 20, depth: Int = 32, nameBytes: Int = 256) {
            self.bytes = bytes
            self.depth = depth
            self.nameBytes = nameBytes
        }

        /// 1 MiB, 32 levels, names of 256 bytes.
        package static let standard = Limits()
    }

    /// Reads one JSON text strictly, by RFC 8259: valid UTF-8, no byte-order mark, no half surrogate pairs, nothing after the value. A
    /// name may stand only once in an object, since otherwise two readers could read different values. Names are the same when their bytes
    /// are.
    package static func parse(_ bytes: [UInt8], limits: Limits = .standard) throws(JSONError) -> JSON {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        var parser = Parser(bytes: bytes, limits: limits)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.at == bytes.count else { throw .trailing(at: parser.at) }
        return value
    }

    package static func parse(_ text: some StringProtocol, limits: Limits = .standard) throws(JSONError) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}

/// The reading position in a text. Every access to a byte is bounds-checked; recursion ends at the depth limit.
struct Parser {
    let bytes: [UInt8]
    let limits: JSON.Limits
    var at = 0

    init(bytes: [UInt8], limits: JSON.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        switch try peek() {
        case .quote: return .string(try string())
        case .openBrace: return .object(try object(depth: depth + 1))
        case .openBracket: return .array(try array(depth: depth + 1))
        case .minus, .zero ... .nine: return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw .unexpected(at: at)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON.Object {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        at += 1
        var object = JSON.Object()
        skipSpace()
        if try peek() == .closeBrace {
            at += 1
            return object
        }
        while true {
            skipSpace()
            let nameStart = at
            guard try peek() == .quote else { throw .unexpected(at: at) }
            let name = try string()
            guard name.utf8.count <= limits.nameBytes else { throw .nameTooLong(at: nameStart, limit: limits.nameBytes) }
            skipSpace()
            guard try peek() == .colon else { throw .unexpected(at: at) }
            at += 1
            guard object.append(name, try value(depth: depth)) else { throw .duplicateKey(name, at: nameStart) }
            if try ends(with: .closeBrace) { return object }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSON] {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        at += 1
        var elements: [JSON] = []
        skipSpace()
        if try peek() == .closeBracket {
            at += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            if try ends(with: .closeBracket) { return elements }
        }
    }

    /// Reads a comma (false) or the closing bracket (true).
    private mutating func ends(with closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        let byte = try peek()
        guard byte == closing || byte == .comma else { throw .unexpected(at: at) }
        at += 1
        return byte == closing
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else { throw .unexpected(at: at) }
            at += 1
        }
        return value
    }

    mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    func peek() throws(JSONError) -> UInt8 {
        guard at < bytes.count else { throw .unexpectedEnd }
        return bytes[at]
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
}
