import Glibc
package import Text

/// Header fields in the order they came. Names are kept and compared in lower case.
///
/// Values are ``UTF8Text``: a request may hold any bytes there (SEC-49).
///
/// The fields are stored in one allocation, as bytes, and converted to text when asked for, since most fields of a request are never read.
/// A line break or NUL in a value becomes a space, so that no value can become another header.
package struct Headers: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Each field: a number that holds both lengths (8 bytes), the name, the value.
    private var packed: [UInt8] = []
    package private(set) var count = 0

    private static let prefix = MemoryLayout<UInt64>.size

    package init(_ fields: [(name: String, value: String)] = []) {
        for field in fields { add(field.name, field.value) }
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    package var fields: [(name: UTF8Text, value: UTF8Text)] {
        var fields: [(name: UTF8Text, value: UTF8Text)] = []
        forEach { fields.append((UTF8Text(decoding: $0), UTF8Text(decoding: $1))) }
        return fields
    }

    /// The first value. Setting it replaces all values of the name; `nil` removes them. `name` must be in lower case.
    package subscript(name: String) -> UTF8Text? {
        get {
            var name = name
            return packed.withUnsafeBytes { packed in
                name.withUTF8 { name in
                    var offset = 0
                    while let field = Self.field(packed, at: offset) {
                        if Self.isEqual(field.name, UnsafeRawBufferPointer(name)) { return UTF8Text(decoding: field.value) }
                        offset = field.next
                    }
                    return nil
                }
            }
        }
        set {
            if contains(name) {
                let old = self
                self = Headers()
                reserve(old.packed.count + (newValue?.utf8.count ?? 0))
                old.forEach { key, value in
                    if !key.elementsEqual(name.utf8) { append(name: key, value: value) }
                }
            }
            if let newValue { add(name, newValue) }
        }
    }

    package func contains(_ name: String) -> Bool { self[name] != nil }

    package func values(_ name: String) -> [UTF8Text] {
        var values: [UTF8Text] = []
        var name = name
        name.withUTF8 { name in
            forEach { if Self.isEqual($0, UnsafeRawBufferPointer(name)) { values.append(UTF8Text(decoding: $1)) } }
        }
        return values
    }

    package mutating func add(_ name: String, _ value: String) {
        var name = name
        var value = value
        name.withUTF8 { name in
            value.withUTF8 { value in append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value)) }
        }
    }

    package mutating func add(_ name: String, _ value: UTF8Text) { add(name, value.asString) }

    package mutating func reserve(_ bytes: Int) { packed.reserveCapacity(bytes) }

    /// Adds a field as bytes from a parser. The name is converted to lower case; a name over 65,535 bytes is not added.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard name.count <= UInt16.max, value.count <= UInt32.max else { return }
        let lengths = UInt64(name.count) << 32 | UInt64(value.count)
        // Reserves room for a few more fields; otherwise every field would move those before it.
        if packed.isEmpty { packed.reserveCapacity(max(256, Self.prefix + name.count + value.count)) }
        let start = packed.count
        withUnsafeBytes(of: lengths) { packed.append(contentsOf: $0) }
        packed.append(contentsOf: name)
        packed.append(contentsOf: value)
        packed.withUnsafeMutableBytes { packed in
            let field = UnsafeMutableRawBufferPointer(rebasing: packed[(start + Self.prefix)...])
            for index in 0..<name.count { field[index] = field[index].lowercased }
            for index in name.count..<field.count {
                let byte = field[index]
                field[index] = byte == 0x0A || byte == 0x0D || byte == 0 ? 0x20 : byte
            }
        }
        count += 1
    }

    /// Calls `body` with every field as bytes, which are valid during the call.
    package func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        packed.withUnsafeBytes { packed in
            var offset = 0
            while let field = Self.field(packed, at: offset) {
                body(field.name, field.value)
                offset = field.next
            }
        }
    }

    private static func field(
        _ packed: UnsafeRawBufferPointer, at offset: Int
    ) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, next: Int)? {
        guard offset < packed.count else { return nil }
        let lengths = packed.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let name = offset + prefix
        let value = name + Int(lengths >> 32)
        let end = value + Int(lengths & 0xFFFF_FFFF)
        return (UnsafeRawBufferPointer(rebasing: packed[name..<value]), UnsafeRawBufferPointer(rebasing: packed[value..<end]), end)
    }

    private static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else {
            return left.count == right.count
        }
        return memcmp(first, second, left.count) == 0
    }
}
