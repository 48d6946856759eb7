import Glibc
package import Runtime

// The binary formats are those of the `…send` functions of the types.
// <https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES>

extension Bool: SQLValue {
    package static var sqlType: SQLType { .bool }
    package func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Bool? {
        guard type == .bool, bytes.byteCount == 1 else { return nil }
        return bytes.integer(as: UInt8.self) != 0
    }
}

/// Reads any of PostgreSQL's three integer types, if the value fits.
private func decodeInteger<T: FixedWidthInteger>(_ bytes: RawSpan, _ type: SQLType) -> T? {
    switch (type, bytes.byteCount) {
    case (.int8, 8): bytes.integer(as: Int64.self).flatMap(T.init(exactly:))
    case (.int4, 4): bytes.integer(as: Int32.self).flatMap(T.init(exactly:))
    case (.int2, 2): bytes.integer(as: Int16.self).flatMap(T.init(exactly:))
    default: nil
    }
}

extension Int: SQLValue {
    package static var sqlType: SQLType { .int8 }
    package func encode(into bytes: inout [UInt8]) { Int64(self).append(to: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Int? { decodeInteger(bytes, type) }
}

extension Int64: SQLValue {
    package static var sqlType: SQLType { .int8 }
    package func encode(into bytes: inout [UInt8]) { append(to: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Int64? { decodeInteger(bytes, type) }
}

extension Int32: SQLValue {
    package static var sqlType: SQLType { .int4 }
    package func encode(into bytes: inout [UInt8]) { append(to: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Int32? { decodeInteger(bytes, type) }
}

extension Int16: SQLValue {
    package static var sqlType: SQLType { .int2 }
    package func encode(into bytes: inout [UInt8]) { append(to: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Int16? { decodeInteger(bytes, type) }
}

extension Double: SQLValue {
    package static var sqlType: SQLType { .float8 }
    package func encode(into bytes: inout [UInt8]) { bitPattern.append(to: &bytes) }
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Double? {
        switch (type, bytes.byteCount) {
        case (.float8, 8): bytes.integer(as: UInt64.self).map(Double.init(bitPattern:))
        case (.float4, 4): bytes.integer(as: UInt32.self).map { Double(Float(bitPattern: $0)) }
        default: nil
        }
    }
}

extension String: SQLValue {
    package static var sqlType: SQLType { .text }
    package var holdsNUL: Bool {
        utf8.withContiguousStorageIfAvailable { text in text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false }
            ?? utf8.contains(0)
    }
    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
    /// Reads any text type, and `json` and `jsonb`, whose binary form is a version byte and the text.
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> String? {
        switch type {
        case .text, .varchar, .bpchar, .name, .json, .unknown: return text(bytes)
        case .jsonb: return bytes.integer(as: UInt8.self) == 1 ? text(bytes.extracting(droppingFirst: 1)) : nil
        default: return nil
        }
    }

    static func text(_ bytes: RawSpan) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Instant: SQLValue {
    /// PostgreSQL counts microseconds from 2000-01-01T00:00:00Z.
    private static let epoch: Int64 = 946_684_800_000_000

    package static var sqlType: SQLType { .timestamptz }
    /// An instant before PostgreSQL's calendar becomes `-infinity`.
    package func encode(into bytes: inout [UInt8]) {
        let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epoch)
        (overflow ? Int64.min : value).append(to: &bytes)
    }
    /// `infinity` and `-infinity` are not instants.
    package static func decode(_ bytes: RawSpan, _ type: SQLType) -> Instant? {
        guard type == .timestamptz, bytes.byteCount == 8, let value: Int64 = bytes.integer(), value != .min else { return nil }
        let (microseconds, overflow) = value.addingReportingOverflow(epoch)
        return overflow ? nil : Instant(microseconds: microseconds)
    }
}
