/// A value that a statement can bind and a row can return: Bool, the integers, Double, String, `[UInt8]`, `Instant`, arrays of String or
/// Int64, and optionals of them. An enum with such a raw value only has to declare the conformance.
package protocol SQLValue {
    /// The type that it is bound as.
    static var sqlType: SQLType { get }
    /// The value for NULL; `nil` when NULL is an error.
    static var null: Self? { get }
    /// Whether it is bound as NULL.
    var isNull: Bool { get }
    /// Appends the value in PostgreSQL's binary format.
    func encode(into bytes: inout [UInt8])
    /// Reads the binary format; `nil` when this type cannot be read from `type`, or when the bytes do not fit it.
    static func decode(_ bytes: RawSpan, _ type: SQLType) -> Self?
    /// Whether it contains text with U+0000, which PostgreSQL refuses.
    var holdsNUL: Bool { get }
}

extension SQLValue {
    package static var null: Self? { nil }
    package var isNull: Bool { false }
    package var holdsNUL: Bool { false }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    package static var sqlType: SQLType { Wrapped.sqlType }
    package static var null: Self? { .some(nil) }
    package var isNull: Bool { self?.isNull ?? true }
    package var holdsNUL: Bool { self?.holdsNUL ?? false }
    package func encode(into bytes: inout [UInt8]) { self?.encode(into: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Self? { Wrapped.decode(bytes, type).map { .some($0) } }
}

extension RawRepresentable where Self: SQLValue, RawValue: SQLValue {
    package static var sqlType: SQLType { RawValue.sqlType }
    package var holdsNUL: Bool { rawValue.holdsNUL }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Self? { RawValue.decode(bytes, type).flatMap(Self.init(rawValue:)) }
}

extension Array: SQLValue where Element: SQLElement {
    package static var sqlType: SQLType { Element.arrayType }
    package var holdsNUL: Bool { Element.holdsNUL(self) }
    package func encode(into bytes: inout [UInt8]) { Element.encode(self, into: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Self? { Element.decodeArray(bytes, type) }
}

/// An element of an array that can be bound: bytes make a `bytea`, everything else a PostgreSQL array.
package protocol SQLElement {
    static var arrayType: SQLType { get }
    static func holdsNUL(_ array: [Self]) -> Bool
    static func encode(_ array: [Self], into bytes: inout [UInt8])
    static func decodeArray(_ bytes: RawSpan, _ type: SQLType) -> [Self]?
}

extension FixedWidthInteger {
    /// Appends the integer in network order.
    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension RawSpan {
    /// The integer in network order at `offset`; `nil` past the end.
    func integer<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int = 0, as type: T.Type = T.self) -> T? {
        guard offset >= 0, byteCount - offset >= MemoryLayout<T>.size else { return nil }
        return T(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
