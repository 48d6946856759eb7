import Text

/// An enum as Google's servers read it: by name, by number, or by number in a string. The cases stand in the order of their numbers, from
/// 1. The number 0 and the name ending in `_UNSPECIFIED` stand for no value and are refused like unknown ones.
/// <https://protobuf.dev/programming-guides/json/>
package protocol WireEnum: RawRepresentable, CaseIterable, Decodable, Sendable where RawValue == String {}

extension WireEnum {
    package init(from decoder: any Decoder) throws {
        let value = try JSON(from: decoder)
        let number = value.integer ?? value.string.flatMap { Int64($0.asString) }
        if let text = value.string, let named = Self(exactly: text) {
            self = named
        } else if let number, number >= 1, number <= Self.allCases.count {
            self = Self.allCases[Self.allCases.index(Self.allCases.startIndex, offsetBy: Int(number - 1))]
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not one of the enum's values"))
        }
    }
}

/// A field that may be absent, `null` (which clears what is stored), or have a value.
package enum Clearable<Value: Decodable & Sendable>: Sendable {
    case absent
    case null
    case value(Value)
}

extension Clearable: Equatable where Value: Equatable {}

extension Clearable: Decodable {
    package init(from decoder: any Decoder) throws { self = .value(try Value(from: decoder)) }
}

extension KeyedDecodingContainer {
    /// The function that a synthesized `init(from:)` calls for a `Clearable`. The standard library's own would treat an absent field as an
    /// error.
    package func decode<Value>(_ type: Clearable<Value>.Type, forKey key: Key) throws -> Clearable<Value> {
        guard contains(key) else { return .absent }
        return try decodeNil(forKey: key) ? .null : .value(decode(Value.self, forKey: key))
    }
}
