extension JSON {
    /// What an `Encodable` value looks like in JSON: members in the order they were encoded, nil left out. Fails on numbers JSON does not
    /// have and on what the value's own `encode(to:)` refuses.
    package init(encoding value: some Encodable, spelling: Spelling = .exact) throws(JSONError) {
        let slot = Slot(path: .whole)
        do {
            try value.encode(to: ValueEncoder(slot: slot, spelling: spelling))
        } catch let error as JSONError {
            throw error
        } catch {
            throw .invalidValue(path: "", reason: "not accepted")
        }
        self = slot.value
    }
}

extension JSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else { throw JSONError.typeMismatch(path: "", expected: "a JSON encoder") }
        encoder.slot.content = .value(self)
    }
}

/// The place of one value while it is put together; containers stay open as long as their owner likes, hence a reference.
final class Slot {
    enum Content {
        case none
        case value(JSON)
        case object([(String, Slot)])
        case array([Slot])
    }

    let path: Path
    var content = Content.none

    init(path: Path) { self.path = path }

    /// A value that encoded nothing is an empty object, as an endpoint's empty answer is.
    var value: JSON {
        switch content {
        case .none: .object([:])
        case .value(let value): value
        case .object(let members): .object(JSON.Object(members.lazy.map { ($0, $1.value) }))
        case .array(let slots): .array(slots.map(\.value))
        }
    }

    func member(_ name: String) -> Slot {
        let slot = Slot(path: .name(name, in: path))
        if case .object(var members) = content {
            content = .none
            members.append((name, slot))
            content = .object(members)
        } else {
            content = .object([(name, slot)])
        }
        return slot
    }

    func element() -> Slot {
        var elements: [Slot] = []
        if case .array(let already) = content { elements = already }
        content = .none
        let slot = Slot(path: .index(elements.count, in: path))
        elements.append(slot)
        content = .array(elements)
        return slot
    }

    func open(_ empty: Content) {
        if case .none = content { content = empty }
    }
}

/// Takes a value from an `Encodable` type into a slot.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.open(.object([]))
        return KeyedEncodingContainer(ObjectWriter<Key>(slot: slot, spelling: spelling))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.open(.array([]))
        return ArrayWriter(slot: slot, spelling: spelling)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { slot.content = .value(.null) }
    func encode(_ flag: Bool) { slot.content = .value(.bool(flag)) }
    func encode(_ text: String) { slot.content = .value(.string(text)) }
    func encode(_ number: Float) throws { try encode(Double(number)) }

    func encode(_ number: Double) throws {
        guard number.isFinite else { throw JSONError.invalidValue(path: slot.path.text, reason: "not a number JSON has") }
        slot.content = .value(.number(number))
    }

    /// An `Int64` is a string on the wire, since JavaScript would round it.
    func encode(_ number: Int64) { slot.content = .value(spelling == .wire ? .string(String(number)) : .integer(number)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ number: Number) throws {
        guard let number = Int64(exactly: number) else {
            throw JSONError.invalidValue(path: slot.path.text, reason: "does not fit 64 bits")
        }
        slot.content = .value(.integer(number))
    }

    func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

private struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) throws { try member(key).encode(value) }
    func encode(_ value: Float, forKey key: Key) throws { try member(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { member(key).encode(value) }
    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number, forKey key: Key) throws { try member(key).encode(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: member(key)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { ValueEncoder(slot: slot, spelling: spelling) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: Key) -> ValueEncoder { ValueEncoder(slot: slot.member(key.stringValue), spelling: spelling) }
}

private struct ArrayWriter: UnkeyedEncodingContainer {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }
    var count: Int { if case .array(let slots) = slot.content { slots.count } else { 0 } }

    func encodeNil() { element().encodeNil() }
    func encode(_ value: Bool) { element().encode(value) }
    func encode(_ value: String) { element().encode(value) }
    func encode(_ value: Double) throws { try element().encode(value) }
    func encode(_ value: Float) throws { try element().encode(value) }
    func encode(_ value: Int64) { element().encode(value) }
    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) throws { try element().encode(value) }
    func encode(_ value: some Encodable) throws { try value.encode(to: element()) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }

    private func element() -> ValueEncoder { ValueEncoder(slot: slot.element(), spelling: spelling) }
}
