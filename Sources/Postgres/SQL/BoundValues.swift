/// The values of one statement in PostgreSQL's binary format, one after another in one buffer.
struct BoundValues: Sendable, Equatable {
    struct Slot: Sendable, Equatable {
        let type: SQLType
        let start: Int
        /// The number of bytes, or -1 for NULL.
        let length: Int
    }

    private(set) var slots: [Slot] = []
    private(set) var bytes: [UInt8] = []
    private(set) var holdNUL = false
    /// The position of the partition's value in `slots`.
    private var partition: Int?
    private(set) var nameTwoPartitions = false

    mutating func reserve(_ count: Int) {
        slots.reserveCapacity(count)
        bytes.reserveCapacity(16 * count)
    }

    mutating func append<T: SQLValue>(_ value: T) {
        let start = bytes.count
        let isNull = value.isNull
        if !isNull { value.encode(into: &bytes) }
        slots.append(Slot(type: T.sqlType, start: start, length: isNull ? -1 : bytes.count - start))
        if value.holdsNUL { holdNUL = true }
    }

    /// Adds the partition's value, unless it is there.
    mutating func append(partition value: String) {
        if let partition {
            if !bytes(of: partition).elementsEqual(value.utf8) { nameTwoPartitions = true }
        } else {
            partition = slots.count
            append(value)
        }
    }

    private func bytes(of slot: Int) -> ArraySlice<UInt8> { bytes[slots[slot].start..<slots[slot].start + slots[slot].length] }

    mutating func append(contentsOf other: BoundValues) {
        let start = bytes.count
        bytes += other.bytes
        for (position, slot) in other.slots.enumerated() {
            if position == other.partition {
                if let partition {
                    if bytes(of: partition) != other.bytes(of: position) { nameTwoPartitions = true }
                    continue
                }
                partition = slots.count
            }
            slots.append(Slot(type: slot.type, start: start + slot.start, length: slot.length))
        }
        if other.holdNUL { holdNUL = true }
        if other.nameTwoPartitions { nameTwoPartitions = true }
    }

    /// Whether a statement that is prepared for `types` accepts these values.
    func fit(_ types: [SQLType]) -> Bool {
        guard types.count == slots.count else { return false }
        for index in slots.indices where slots[index].type != types[index] { return false }
        return true
    }
}

/// A PostgreSQL type by its object id, which is fixed for built-in types.
/// <https://github.com/postgres/postgres/blob/REL_15_STABLE/src/include/catalog/pg_type.dat>
package struct SQLType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    static let bool = SQLType(rawValue: 16)
    static let bytea = SQLType(rawValue: 17)
    static let name = SQLType(rawValue: 19)
    static let int8 = SQLType(rawValue: 20)
    static let int2 = SQLType(rawValue: 21)
    static let int4 = SQLType(rawValue: 23)
    static let text = SQLType(rawValue: 25)
    static let json = SQLType(rawValue: 114)
    static let float4 = SQLType(rawValue: 700)
    static let float8 = SQLType(rawValue: 701)
    static let unknown = SQLType(rawValue: 705)
    static let textArray = SQLType(rawValue: 1009)
    static let varcharArray = SQLType(rawValue: 1015)
    static let int8Array = SQLType(rawValue: 1016)
    static let bpchar = SQLType(rawValue: 1042)
    static let varchar = SQLType(rawValue: 1043)
    static let timestamptz = SQLType(rawValue: 1184)
    static let jsonb = SQLType(rawValue: 3802)
}
