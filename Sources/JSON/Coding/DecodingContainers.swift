package import Text

/// The members of an object, by the keys of the decoded type.
struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSON.Object
    private let path: Path
    private let spelling: JSON.Spelling
    /// The positions of the members that are written in `snake_case`, by their camelCase names.
    private let respelled: [UTF8Text: Int]

    /// - Throws: an error when a field has both spellings, since the server would have to guess which one counts.
    init(object: JSON.Object, path: Path, spelling: JSON.Spelling) throws(JSONError) {
        self.object = object
        self.path = path
        self.spelling = spelling
        var respelled: [UTF8Text: Int] = [:]
        if spelling == .wire {
            for (position, member) in object.enumerated() where member.name.contains(UInt8(ascii: "_")) {
                let name = camelCase(member.name)
                guard object[name] == nil, respelled.updateValue(position, forKey: name) == nil else {
                    throw .bothSpellings(path: Path.name(name.asString, in: path).text)
                }
            }
        }
        self.respelled = respelled
    }

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { object.compactMap { Key(stringValue: $0.name.asString) } }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { find(key)?.isNull ?? true }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try T(from: inner(key)) }

    func decode<T: Scalar>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let value = find(key) else { throw JSONError.missing(path: path(to: key).text) }
        return try T.read(value, spelling, at: path(to: key))
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = find(key), !value.isNull else { return nil }
        return try T(from: ValueDecoder(value: value, path: path(to: key), spelling: spelling))
    }

    func decodeIfPresent<T: Scalar>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = find(key), !value.isNull else { return nil }
        return try T.read(value, spelling, at: path(to: key))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try inner(key).unkeyedContainer() }
    func superDecoder() throws -> any Decoder { ValueDecoder(value: .object(object), path: path, spelling: spelling) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }

    private func inner(_ key: Key) throws -> ValueDecoder {
        guard let value = find(key) else { throw JSONError.missing(path: path(to: key).text) }
        return ValueDecoder(value: value, path: path(to: key), spelling: spelling)
    }

    private func find(_ key: Key) -> JSON? {
        let name = UTF8Text(key.stringValue)
        if let value = object[name] { return value }
        return respelled.isEmpty ? nil : respelled[name].map { object[$0].value }
    }

    private func path(to key: Key) -> Path { .name(key.stringValue, in: path) }
}

/// Converts `return_secure_token` to `returnSecureToken`.
package func camelCase(_ snake: UTF8Text) -> UTF8Text {
    var camel: [UInt8] = []
    var raisesNext = false
    for byte in snake.utf8 {
        if byte == UInt8(ascii: "_") {
            raisesNext = true
        } else {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            camel.append(raisesNext && isLetter ? byte ^ 0x20 : byte)
            raisesNext = false
        }
    }
    return UTF8Text(decoding: camel)
}

/// The elements of an array, one after the other.
struct ArrayContainer: UnkeyedDecodingContainer {
    private let elements: [JSON]
    private let path: Path
    private let spelling: JSON.Spelling
    private(set) var currentIndex = 0

    init(elements: [JSON], path: Path, spelling: JSON.Spelling) {
        self.elements = elements
        self.path = path
        self.spelling = spelling
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try current().value.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try T(from: current())
        currentIndex += 1
        return value
    }

    mutating func decode<T: Scalar>(_ type: T.Type) throws -> T {
        let value = try current().decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        let nested = try current().container(keyedBy: type)
        currentIndex += 1
        return nested
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let nested = try current().unkeyedContainer()
        currentIndex += 1
        return nested
    }

    mutating func superDecoder() throws -> any Decoder {
        let inner = try current()
        currentIndex += 1
        return inner
    }

    private func current() throws -> ValueDecoder {
        let here = Path.index(currentIndex, in: path)
        guard !isAtEnd else { throw JSONError.missing(path: here.text) }
        return ValueDecoder(value: elements[currentIndex], path: here, spelling: spelling)
    }
}
