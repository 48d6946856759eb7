import Text

/// An enum as Google's servers read it: by name, by number, or by number in a string. The cases stand in the order of their numbers, from
/// 1. The number 0 and its name say nothing: a field with one of them counts as absent, and so does an element of a list.
/// <https://protobuf.dev/programming-guides/json/>
package protocol WireEnum: RawRepresentable, CaseIterable, Decodable, Sendable where RawValue == String {
    /// The name of the number 0.
    static var unspecified: String { get }
}

extension WireEnum {
    /// Refuses what says nothing, too.
    package init(from decoder: any Decoder) throws {
        guard let value = try OptionalEnum<Self>(from: decoder).value else { throw OptionalEnum<Self>.unknown(to: decoder) }
        self = value
    }
}

/// A value of an enum, or none where the number 0 or its name stands.
package struct OptionalEnum<Value: WireEnum>: Decodable, Sendable {
    package let value: Value?

    package init(from decoder: any Decoder) throws {
        if let recorder = decoder as? ShapeDecoder {
            value = try recorder.decode(Value.self)
            return
        }
        let json = try JSON(from: decoder)
        let number = json.integer ?? json.string.flatMap { Int64($0.asString) }
        if let text = json.string, let named = Value(exactly: text) {
            value = named
        } else if number == 0 || json.string == UTF8Text(Value.unspecified) {
            value = nil
        } else if let number, number >= 1, number <= Value.allCases.count {
            value = Value.allCases[Value.allCases.index(Value.allCases.startIndex, offsetBy: Int(number - 1))]
        } else {
            throw Self.unknown(to: decoder)
        }
    }

    fileprivate static func unknown(to decoder: any Decoder) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not one of the enum's values"))
    }
}

extension KeyedDecodingContainer {
    /// The function that a synthesized `init(from:)` calls for an optional enum.
    package func decodeIfPresent<Value: WireEnum>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try decodeIfPresent(OptionalEnum<Value>.self, forKey: key)?.value
    }

    /// The same for a list of them.
    package func decodeIfPresent<Value: WireEnum>(_ type: [Value].Type, forKey key: Key) throws -> [Value]? {
        try decodeIfPresent([OptionalEnum<Value>].self, forKey: key)?.compactMap(\.value)
    }
}
