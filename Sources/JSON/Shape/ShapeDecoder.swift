extension JSONShape {
    /// The shape that a type reads, and so also writes if its encoding is the counterpart of its decoding.
    ///
    /// Runs the type's `init(from:)` once with values that stand for nothing: empty texts, zeros. Throws what a type throws that does not
    /// accept those.
    package init(of type: any Decodable.Type) throws { self = try Self.slot(of: type).shape }

    private static func slot<T: Decodable>(of type: T.Type) throws -> ShapeSlot { try ShapeSlot.recording(type).slot }
}

/// Collects the shape of one value while its type decodes itself. It is a reference, since several containers may be open on one value.
final class ShapeSlot {
    enum Content {
        case object
        case shape(JSONShape)
        case list(ShapeSlot)
    }

    private struct Entry {
        let name: String
        let slot: ShapeSlot
        let isRequired: Bool
    }

    /// A type that reads nothing is an empty object, like the empty input of a call.
    var content = Content.object
    /// Whether the type asked which names there are, as dictionaries do.
    var isMap = false
    /// The names whose presence the type asked for before it read them, and those that it asked for `null`.
    var asked: Set<String> = []
    var nullable: Set<String> = []
    private var entries: [Entry] = []

    var shape: JSONShape {
        switch content {
        case .shape(let shape): shape
        case .list(let element): .list(element.shape)
        case .object where isMap: .map(entries.first?.slot.shape ?? .anything)
        case .object:
            .object(
                entries.map {
                    JSONShape.Member(
                        $0.name, $0.slot.shape, isRequired: $0.isRequired && !asked.contains($0.name),
                        isNullable: nullable.contains($0.name))
                })
        }
    }

    func add(_ name: String, _ slot: ShapeSlot, isRequired: Bool) {
        guard !entries.contains(where: { $0.name == name }) else { return }
        entries.append(Entry(name: name, slot: slot, isRequired: isRequired))
    }

    /// A value of the type, and what it read.
    static func recording<T: Decodable>(_ type: T.Type) throws -> (value: T, slot: ShapeSlot) {
        let slot = ShapeSlot()
        if let named = type as? any (CaseIterable & RawRepresentable).Type, let (names, first) = choices(named), let value = first as? T {
            slot.content = .shape(.choice(names))
            return (value, slot)
        }
        if let scalar = type as? any Scalar.Type {
            let stand = standIn(scalar)
            guard let value = stand.value as? T else { throw JSONError.invalidValue(path: "", reason: "no value stands for this type") }
            slot.content = .shape(stand.shape)
            return (value, slot)
        }
        return (try T(from: ShapeDecoder(slot: slot)), slot)
    }

    /// The names of an enum's cases, and one case; `nil` for an enum whose cases are not named by texts.
    private static func choices<E: CaseIterable & RawRepresentable>(_ type: E.Type) -> (names: [String], first: E)? {
        let names = type.allCases.compactMap { $0.rawValue as? String }
        guard let first = type.allCases.first(where: { _ in true }), names.count == type.allCases.count else { return nil }
        return (names, first)
    }

    /// A value that means nothing, and the shape that is read as this type.
    private static func standIn<S: Scalar>(_ type: S.Type) -> (value: S?, shape: JSONShape) {
        if let flag = type.read(.bool(false), .exact) { return (flag, .flag) }
        if let text = type.read(.string(""), .exact) { return (text, .text) }
        let zero = type.read(.integer(0), .exact)
        guard let integer = type as? any FixedWidthInteger.Type else { return (zero, .number) }
        return (zero, .integer(bits: integer.bitWidth))
    }
}

/// Lets a type decode itself from a value that is not there, and notes what it asks for.
struct ShapeDecoder: Decoder {
    let slot: ShapeSlot

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MemberRecorder<Key>(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        let element = ShapeSlot()
        slot.content = .list(element)
        return ElementRecorder(element: element)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension ShapeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (value, read) = try ShapeSlot.recording(type)
        slot.content = .shape(read.shape)
        return value
    }
}

/// Notes the members that a type reads.
private struct MemberRecorder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let slot: ShapeSlot

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        slot.isMap = true
        return Key(stringValue: "name").map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool {
        slot.asked.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        slot.nullable.insert(key.stringValue)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (value, read) = try ShapeSlot.recording(type)
        slot.add(key.stringValue, read, isRequired: true)
        return value
    }

    // The standard library has functions of its own for these, which would ask for `null`.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try optional(type, key) }

    private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        let (value, read) = try ShapeSlot.recording(type)
        slot.add(key.stringValue, read, isRequired: false)
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
        inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { inner(key).unkeyedContainer() }
    func superDecoder() -> any Decoder { ShapeDecoder(slot: slot) }
    func superDecoder(forKey key: Key) -> any Decoder { inner(key) }

    private func inner(_ key: Key) -> ShapeDecoder {
        let inner = ShapeSlot()
        slot.add(key.stringValue, inner, isRequired: true)
        return ShapeDecoder(slot: inner)
    }
}

/// Notes what a type reads as the elements of an array: one element stands for all.
private struct ElementRecorder: UnkeyedDecodingContainer {
    let element: ShapeSlot
    private(set) var currentIndex = 0

    init(element: ShapeSlot) { self.element = element }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        let (value, read) = try ShapeSlot.recording(type)
        element.content = .shape(read.shape)
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return ShapeDecoder(slot: element).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return ShapeDecoder(slot: element).unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder {
        currentIndex += 1
        return ShapeDecoder(slot: element)
    }
}
