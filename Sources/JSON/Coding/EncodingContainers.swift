// The standard library requires one function for each type of whole number; one generic function serves all of them.

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { slot.content = .value(.null) }
    func encode(_ flag: Bool) { slot.content = .value(.bool(flag)) }
    func encode(_ text: String) { slot.content = .value(.string(text)) }
    func encode(_ number: Float) throws { try encode(Double(number)) }
    func encode(_ number: Double) throws { slot.content = .value(try spelling.json(number, slot.path)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ number: Number) throws {
        slot.content = .value(try spelling.json(number, slot.path))
    }

    func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

/// The members of an object.
struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }

    func encodeNil(forKey key: Key) { slot.add(key.stringValue, .null) }
    func encode(_ flag: Bool, forKey key: Key) { slot.add(key.stringValue, .bool(flag)) }
    func encode(_ text: String, forKey key: Key) { slot.add(key.stringValue, .string(text)) }
    func encode(_ number: Float, forKey key: Key) throws { try encode(Double(number), forKey: key) }
    func encode(_ number: Double, forKey key: Key) throws { slot.add(key.stringValue, try spelling.json(number, path(to: key))) }

    func encode<Number: FixedWidthInteger & Encodable>(_ number: Number, forKey key: Key) throws {
        slot.add(key.stringValue, try spelling.json(number, path(to: key)))
    }

    func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: member(key)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { ValueEncoder(slot: slot, spelling: spelling) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func path(to key: Key) -> Path { .name(key.stringValue, in: slot.path) }
    private func member(_ key: Key) -> ValueEncoder { ValueEncoder(slot: slot.member(key.stringValue), spelling: spelling) }
}

/// The elements of an array.
struct ArrayWriter: UnkeyedEncodingContainer {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }
    var count: Int { slot.count }

    func encodeNil() { slot.add("", .null) }
    func encode(_ flag: Bool) { slot.add("", .bool(flag)) }
    func encode(_ text: String) { slot.add("", .string(text)) }
    func encode(_ number: Float) throws { try encode(Double(number)) }
    func encode(_ number: Double) throws { slot.add("", try spelling.json(number, .index(count, in: slot.path))) }

    func encode<Number: FixedWidthInteger & Encodable>(_ number: Number) throws {
        slot.add("", try spelling.json(number, .index(count, in: slot.path)))
    }

    func encode(_ value: some Encodable) throws { try value.encode(to: element()) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }

    private func element() -> ValueEncoder { ValueEncoder(slot: slot.element(), spelling: spelling) }
}
