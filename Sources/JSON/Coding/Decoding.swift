extension JSON {
    /// The spelling of names and values in decoded JSON, or for encoded JSON.
    package enum Spelling: Sendable {
        /// Exactly as the type says; nothing is converted.
        case exact
        /// As Google's servers read and write JSON: a field `idToken` is also found as `id_token` (both at once are refused), whole
        /// numbers may come as decimal strings and truth values as `"true"` and `"false"`. An `Int64` is written as a string, an `Int` as
        /// a number. <https://protobuf.dev/programming-guides/json/>
        case wire
    }

    /// Decodes this value into a `T`. Members that `T` does not know are ignored; for optional fields, `null` is the same as absent.
    package func decode<T: Decodable>(_ type: T.Type = T.self, spelling: Spelling = .exact) throws(JSONError) -> T {
        do {
            return try T(from: ValueDecoder(value: self, path: .whole, spelling: spelling))
        } catch let error as JSONError {
            throw error
        } catch let error as DecodingError {
            throw JSONError(error)
        } catch {
            throw .invalidValue(path: "", reason: "not accepted")
        }
    }
}

/// The decoder's position in the value. It is only created when the decoder goes down a level.
indirect enum Path {
    case whole
    case name(String, in: Path)
    case index(Int, in: Path)

    var text: String {
        switch self {
        case .whole: ""
        case .name(let name, .whole): name
        case .name(let name, let outer): "\(outer.text).\(name)"
        case .index(let index, let outer): "\(outer.text)[\(index)]"
        }
    }

    var keys: [any CodingKey] {
        switch self {
        case .whole: []
        case .name(let name, let outer): outer.keys + [Name(name)]
        case .index(let index, let outer): outer.keys + [Name(index)]
        }
    }

    init(_ keys: [any CodingKey]) {
        self = keys.reduce(.whole) { path, key in key.intValue.map { .index($0, in: path) } ?? .name(key.stringValue, in: path) }
    }
}

/// A coding key for any type.
struct Name: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}

extension JSONError {
    /// Converts an error that the `init(from:)` of a decoded type has thrown. Its text is dropped, since it may quote the value.
    init(_ error: DecodingError) {
        self =
            switch error {
            case .typeMismatch(let type, let context):
                .typeMismatch(path: Path(context.codingPath).text, expected: String(describing: type))
            case .valueNotFound(_, let context): .missing(path: Path(context.codingPath).text)
            case .keyNotFound(let key, let context): .missing(path: Path(context.codingPath + [key]).text)
            case .dataCorrupted(let context): .invalidValue(path: Path(context.codingPath).text, reason: "not one of the accepted values")
            @unknown default: .invalidValue(path: "", reason: "not accepted")
            }
    }
}

/// Lets `Decodable` types read the value.
struct ValueDecoder: Decoder {
    let value: JSON
    let path: Path
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw JSONError.typeMismatch(path: path.text, expected: "an object") }
        return KeyedDecodingContainer(try ObjectContainer<Key>(object: object, path: path, spelling: spelling))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw JSONError.typeMismatch(path: path.text, expected: "an array") }
        return ArrayContainer(elements: elements, path: path, spelling: spelling)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
    func decode<T: Scalar>(_ type: T.Type) throws -> T { try T.read(value, spelling, at: path) }
}

extension JSON: Decodable {
    /// The value itself, for fields that are passed on and not read.
    package init(from decoder: any Decoder) throws {
        if let recorder = decoder as? ShapeDecoder {
            recorder.slot.content = .shape(.anything)
            self = .null
            return
        }
        guard let decoder = decoder as? ValueDecoder else { throw JSONError.typeMismatch(path: "", expected: "JSON") }
        self = decoder.value
    }
}
