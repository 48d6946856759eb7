import Glibc

/// The bytes and byte classes of the grammar of HTTP/1.1.
enum Byte {
    static let cr: UInt8 = 0x0D
    static let lf: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09

    /// `tchar`, as one bit for each byte, since the parser calls this for every byte of a name.
    @inline(__always) static func isToken(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : byte < 128 ? 0x57FF_FFFF_C7FF_FFFE : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether all bytes may stand in a field value: no control character except tab.
    static func areFieldContent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isBad = false
        // Without an early exit, so that the compiler can use vector instructions.
        for byte in bytes { isBad = isBad || (byte < 0x20 && byte != tab) || byte == 0x7F }
        return !isBad
    }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] == space || bytes[start] == tab { start += 1 }
        while end > start, bytes[end - 1] == space || bytes[end - 1] == tab { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    static func isSame(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount, let base = bytes.baseAddress else { return false }
        return memcmp(base, text.utf8Start, bytes.count) == 0
    }

    /// `text` must be in lower case, without `@`, `[`, `\`, `]`, `^`, `_` and control characters: for those this fast comparison would be
    /// wrong.
    static func equal(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        let pointer = text.utf8Start
        for index in 0..<bytes.count where bytes[index] | 0x20 != pointer[index] { return false }
        return true
    }
}

/// `*( ";" name [ "=" value ] )` behind the size of a chunk, without the white space that the grammar calls bad.
enum ChunkExtension {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let skipToken = {
            let start = index
            while index < bytes.count, Byte.isToken(bytes[index]) { index += 1 }
            return index > start
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: ";") else { return false }
            index += 1
            guard skipToken() else { return false }
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                guard let end = endOfQuotation(bytes, index) else { return false }
                index = end
            } else if !skipToken() {
                return false
            }
        }
        return true
    }

    private static func endOfQuotation(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            case 0..<0x20 where bytes[index] != Byte.tab: return nil
            case 0x7F: return nil
            default: index += 1
            }
        }
        return nil
    }
}
