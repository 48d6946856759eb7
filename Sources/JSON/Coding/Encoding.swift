import Text

extension JSON {
    /// Encodes an `Encodable` value: members in the order of encoding, without those that are nil. Throws for numbers that JSON cannot
    /// express and for errors of the value's own `encode(to:)`.
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

/// Holds one value while it is put together. It is a reference, since containers stay open as long as their owner likes. Members that are
/// complete at once need no slot of their own.
final class Slot {
    enum Content {
        case none, object, array
        case value(JSON)
    }

    enum Part {
        case value(JSON)
        case slot(Slot)

        var value: JSON {
            switch self {
            case .value(let value): value
            case .slot(let slot): slot.value
            }
        }
    }

    let path: Path
    var content = Content.none
    /// The content of an object or array; in an array the names are empty.
    private var parts: [(name: String, part: Part)] = []

    init(path: Path) { self.path = path }

    var count: Int { parts.count }

    /// A value that has encoded nothing is an empty object, like the empty answer of an endpoint.
    var value: JSON {
        switch content {
        case .value(let value): value
        case .none, .object: .object(JSON.Object(parts.lazy.map { (UTF8Text($0.name), $0.part.value) }))
        case .array: .array(parts.map(\.part.value))
        }
    }

    func add(_ name: String, _ value: JSON) { parts.append((name, .value(value))) }

    func member(_ name: String) -> Slot { add(name, Slot(path: .name(name, in: path))) }
    func element() -> Slot { add("", Slot(path: .index(parts.count, in: path))) }

    private func add(_ name: String, _ slot: Slot) -> Slot {
        parts.append((name, .slot(slot)))
        return slot
    }
}

/// Writes a value of an `Encodable` type into a slot.
struct ValueEncoder: Encoder {
    let slot: Slot
    let spelling: JSON.Spelling

    var codingPath: [any CodingKey] { slot.path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.content = .object
        return KeyedEncodingContainer(ObjectWriter<Key>(slot: slot, spelling: spelling))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.content = .array
        return ArrayWriter(slot: slot, spelling: spelling)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSON.Spelling {
    /// A number in this spelling; `path` is its place, for errors.
    func json<Number: FixedWidthInteger>(_ number: Number, _ path: @autoclosure () -> Path) throws(JSONError) -> JSON {
        guard let whole = Int64(exactly: number) else { throw .invalidValue(path: path().text, reason: "does not fit 64 bits") }
        // JavaScript would round an Int64, so on the wire it is a string.
        return self == .wire && Number.self == Int64.self ? .string(String(whole)) : .integer(whole)
    }

    func json(_ number: Double, _ path: @autoclosure () -> Path) throws(JSONError) -> JSON {
        guard number.isFinite else { throw .invalidValue(path: path().text, reason: "not a number that JSON can express") }
        return .number(number)
    }
}
