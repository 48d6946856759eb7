extension JSON {
    /// How names and values are spelled in what is decoded, or how they are to be spelled in what is encoded.
    package enum Spelling: Sendable {
        /// As the type says; nothing is converted.
        case exact
        /// As Google's servers read and write JSON: a field `idToken` is also found as `id_token` (both at once are refused), whole
        /// numbers may come as decimal strings and truth values as `"true"` and `"false"`; an `Int64` is written as a string, an `Int` as a number.
        /// <https://protobuf.dev/programming-guides/json/>
        case wire
    }

    /// Makes a `T` of this value. Members that `T` does not know are ignored; `null` is the same as absent for what is optional.
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

/// Where in the value the decoder is. Made only when it goes down a level.
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

/// A coding key of no type in particular.
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
    /// What `init(from:)` of a decoded type throws of its own accord. Its text is not passed on: it may quote the value.
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

/// Hands a value to `Decodable` types.
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
    /// The value as it is: for fields that are passed on rather than read.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else { throw JSONError.typeMismatch(path: "", expected: "JSON") }
        self = decoder.value
    }
}
