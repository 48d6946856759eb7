package import Text

/// The part of CBOR that authenticators write: whole numbers, byte strings, texts, lists, maps and truth values.
/// <https://www.rfc-editor.org/rfc/rfc8949>, in the strict form of <https://fidoalliance.org/specs/fido-v2.1-ps-20210615/fido-client-to-authenticator-protocol-v2.1-ps-errata-20220621.html#ctap2-canonical-cbor-encoding-form>
///
/// Strays from that form: the order of a map's keys is not checked, since older clients wrote the members of an attestation object in another
/// one.
package enum CBOR: Sendable, Equatable {
    /// Numbers beyond 64 bits with a sign are refused.
    case integer(Int64)
    case bytes([UInt8])
    case text(UTF8Text)
    case array([CBOR])
    case map([Key: CBOR])
    case bool(Bool)

    /// The name of a map's member.
    package enum Key: Sendable, Hashable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
        case integer(Int64)
        case text(UTF8Text)
        case bytes([UInt8])

        package init(integerLiteral number: Int64) { self = .integer(number) }
        package init(stringLiteral text: String) { self = .text(UTF8Text(text)) }
    }
}

extension CBOR {
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: UTF8Text? { if case .text(let text) = self { text } else { nil } }
    var array: [CBOR]? { if case .array(let items) = self { items } else { nil } }
    var map: [Key: CBOR]? { if case .map(let members) = self { members } else { nil } }

    fileprivate var key: Key? {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .array, .map, .bool: nil
        }
    }

    /// Reads one item that fills the bytes; `nil` for anything else.
    package static func parse(_ bytes: [UInt8]) -> CBOR? {
        var reader = CBORReader(bytes)
        guard let item = reader.item(), reader.isAtEnd else { return nil }
        return item
    }
}

/// Reads items of CBOR one after the other from bytes that a stranger sent.
///
/// It gives `nil` for what is outside of `CBOR`: tags, floating-point numbers, `null`, lengths that are not stated first, numbers and lengths
/// in more bytes than they need, a key that stands twice, and more than four levels. It never makes room for a length that was only stated.
struct CBORReader {
    static let deepest = 4

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func item(depth: Int = 0) -> CBOR? {
        guard let (kind, value) = head() else { return nil }
        switch kind {
        case 0: return Int64(exactly: value).map(CBOR.integer)
        case 1: return Int64(exactly: value).map { .integer(-1 - $0) }
        case 2: return string(of: value).map { .bytes(Array($0)) }
        case 3: return string(of: value).flatMap { UTF8Text(validating: $0) }.map(CBOR.text)
        case 4: return depth < Self.deepest ? array(of: value, depth: depth + 1) : nil
        case 5: return depth < Self.deepest ? map(of: value, depth: depth + 1) : nil
        case 7: return value == 20 ? .bool(false) : value == 21 ? .bool(true) : nil
        default: return nil
        }
    }

    /// The kind of the next item, and its number: a value, a length or a count.
    private mutating func head() -> (kind: UInt8, value: UInt64)? {
        guard let first = next(1)?.first else { return nil }
        let (kind, short) = (first >> 5, first & 0x1F)
        if short < 24 { return (kind, UInt64(short)) }
        guard kind != 7, short < 28, let digits = next(UInt64(1) << (short - 24)) else { return nil }
        let value = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let smallest: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
        return value >= smallest[Int(short - 24)] ? (kind, value) : nil
    }

    private mutating func string(of count: UInt64) -> ArraySlice<UInt8>? { next(count) }

    private mutating func next(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(bytes.count - position) else { return nil }
        defer { position += Int(count) }
        return bytes[position..<(position + Int(count))]
    }

    private mutating func array(of count: UInt64, depth: Int) -> CBOR? {
        var items: [CBOR] = []
        for _ in 0..<count {
            guard let item = item(depth: depth) else { return nil }
            items.append(item)
        }
        return .array(items)
    }

    private mutating func map(of count: UInt64, depth: Int) -> CBOR? {
        var members: [CBOR.Key: CBOR] = [:]
        for _ in 0..<count {
            guard let key = item(depth: depth)?.key, let value = item(depth: depth), members.updateValue(value, forKey: key) == nil else {
                return nil
            }
        }
        return .map(members)
    }
}
