/// A field of a change: absent, which keeps what is stored; `null`, which clears it; or a new value.
package enum FieldUpdate<Value: Sendable>: Sendable {
    case keep
    case clear
    case set(Value)

    package func apply(to value: inout Value?) {
        switch self {
        case .keep: break
        case .clear: value = nil
        case .set(let new): value = new
        }
    }
}

extension FieldUpdate: Equatable where Value: Equatable {}

extension FieldUpdate: Decodable where Value: Decodable {
    package init(from decoder: any Decoder) throws { self = .set(try Value(from: decoder)) }
}

extension KeyedDecodingContainer {
    /// The function that a synthesized `init(from:)` calls for a `FieldUpdate`. The standard library's own would treat an absent field as
    /// an error.
    package func decode<Value: Decodable>(_ type: FieldUpdate<Value>.Type, forKey key: Key) throws -> FieldUpdate<Value> {
        guard contains(key) else { return .keep }
        return try decodeNil(forKey: key) ? .clear : .set(decode(Value.self, forKey: key))
    }
}
