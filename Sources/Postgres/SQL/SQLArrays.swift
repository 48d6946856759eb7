extension UInt8: SQLElement {
    package static var arrayType: SQLType { .bytea }
    package static func holdsNUL(_ array: [UInt8]) -> Bool { false }
    package static func encode(_ array: [UInt8], into bytes: inout [UInt8]) { bytes += array }
    package static func decodeArray(_ bytes: RawSpan, _ type: SQLType) -> [UInt8]? {
        type == .bytea ? bytes.withUnsafeBytes { [UInt8]($0) } : nil
    }
}

extension String: SQLElement {
    package static var arrayType: SQLType { .textArray }
    package static func holdsNUL(_ array: [String]) -> Bool { array.contains { $0.holdsNUL } }
    package static func encode(_ array: [String], into bytes: inout [UInt8]) {
        ArrayFormat.encode(array, of: .text, into: &bytes)
    }
    package static func decodeArray(_ bytes: RawSpan, _ type: SQLType) -> [String]? {
        type == .textArray || type == .varcharArray ? ArrayFormat.decode(bytes) : nil
    }
}

/// An array of texts that may be NULL.
extension Optional: SQLElement where Wrapped == String {
    package static var arrayType: SQLType { .textArray }
    package static func holdsNUL(_ array: [String?]) -> Bool { array.contains { $0.holdsNUL } }
    package static func encode(_ array: [String?], into bytes: inout [UInt8]) {
        ArrayFormat.encode(array, of: .text, into: &bytes)
    }
    package static func decodeArray(_ bytes: RawSpan, _ type: SQLType) -> [String?]? {
        type == .textArray || type == .varcharArray ? ArrayFormat.decode(bytes) : nil
    }
}

extension Int64: SQLElement {
    package static var arrayType: SQLType { .int8Array }
    package static func holdsNUL(_ array: [Int64]) -> Bool { false }
    package static func encode(_ array: [Int64], into bytes: inout [UInt8]) {
        ArrayFormat.encode(array, of: .int8, into: &bytes)
    }
    package static func decodeArray(_ bytes: RawSpan, _ type: SQLType) -> [Int64]? {
        type == .int8Array ? ArrayFormat.decode(bytes) : nil
    }
}

/// Arrays are sent with one dimension. They are read element by element, whatever their dimensions are.
/// <https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/adt/arrayfuncs.c> (`array_send`)
private enum ArrayFormat {
    static func encode<T: SQLValue>(_ array: [T], of element: SQLType, into bytes: inout [UInt8]) {
        Int32(array.isEmpty ? 0 : 1).append(to: &bytes)  // dimensions
        Int32(array.contains(where: \.isNull) ? 1 : 0).append(to: &bytes)
        element.rawValue.append(to: &bytes)
        if array.isEmpty { return }
        Int32(clamping: array.count).append(to: &bytes)
        Int32(1).append(to: &bytes)  // lower bound
        for value in array {
            let length = bytes.count
            Int32(value.isNull ? -1 : 0).append(to: &bytes)
            if value.isNull { continue }
            value.encode(into: &bytes)
            let size = UInt32(clamping: bytes.count - length - 4)
            for byte in 0..<4 { bytes[length + byte] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(byte))) }
        }
    }

    static func decode<T: SQLValue>(_ bytes: RawSpan) -> [T]? {
        guard let dimensions: Int32 = bytes.integer(at: 0), (0...6).contains(dimensions), let element: UInt32 = bytes.integer(at: 8)
        else { return nil }
        var count = dimensions == 0 ? 0 : 1
        var offset = 12
        for _ in 0..<dimensions {
            // Every element takes four bytes or more.
            guard let length: Int32 = bytes.integer(at: offset), (0...bytes.byteCount / 4).contains(count * Int(length)) else { return nil }
            count *= Int(length)
            offset += 8
        }
        var array: [T] = []
        array.reserveCapacity(count)
        for _ in 0..<count {
            guard let length: Int32 = bytes.integer(at: offset), bytes.byteCount - offset - 4 >= Int(length) else { return nil }
            offset += 4
            if length == -1 {
                guard let null = T.null else { return nil }
                array.append(null)
                continue
            }
            guard length >= 0, let value = T.decode(bytes.extracting(offset..<offset + Int(length)), SQLType(rawValue: element)) else {
                return nil
            }
            array.append(value)
            offset += Int(length)
        }
        return array
    }
}
