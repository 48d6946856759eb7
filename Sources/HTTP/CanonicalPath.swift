import Glibc

/// The one form of a path that routing, limits and access checks all see (SEC-09).
///
/// A canonical path is `/`, then segments of letters, digits and ``-._~!$&'()*+,=:@``, with `%xx` of those decoded, in the original case.
/// A path that two readers could understand differently is refused and not repaired: empty segments, `.` and `..`, a segment that ends in
/// a dot, `;` parameters, backslashes, and `%xx` of any other byte (also `%2F`, `%00` and `%25`). A trailing slash is kept: `/a` and `/a/`
/// are two paths. One exception: a second slash in front of `.well-known/openid-configuration` is dropped.
package enum CanonicalPath {
    /// Splits and checks the target of a request; `nil` must be answered with 400.
    /// The query comes back as it was: printable ASCII without `#`.
    package static func parse(_ target: String) -> (path: String, query: String)? {
        var target = target
        return target.withUTF8 { parse(UnsafeRawBufferPointer($0)) }
    }

    package static func parse(_ target: UnsafeRawBufferPointer) -> (path: String, query: String)? {
        guard let base = target.baseAddress else { return nil }
        guard let mark = memchr(base, 0x3F, target.count) else { return path(target).map { ($0, "") } }
        let length = UnsafeRawPointer(mark) - base
        let query = UnsafeRawBufferPointer(rebasing: target[(length + 1)...])
        guard query.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let path = path(UnsafeRawBufferPointer(rebasing: target[..<length]))
        else { return nil }
        return (path, String(decoding: query, as: UTF8.self))
    }

    private static func path(_ raw: UnsafeRawBufferPointer) -> String? {
        guard raw.first == UInt8(ascii: "/") else { return nil }
        if isCanonical(raw) { return String(decoding: raw, as: UTF8.self) }
        if let path = discovery(raw) { return path }
        guard raw.contains(UInt8(ascii: "%")) else { return nil }
        // After decoding, a decoded slash could not be told from a written one, so this counts slashes on both sides.
        guard let decoded = PercentEncoding.decode(raw),
            decoded.count(where: { $0 == UInt8(ascii: "/") }) == raw.count(where: { $0 == UInt8(ascii: "/") })
        else { return nil }
        return decoded.withUnsafeBytes { isCanonical($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    /// The path of a discovery document, where the issuer ends in a slash and the client appends the rest as text, as AppAuth-JS does: the
    /// document is public, so it does not matter who takes the empty segment for what.
    private static func discovery(_ raw: UnsafeRawBufferPointer) -> String? {
        let ending: StaticString = "//.well-known/openid-configuration"
        let start = raw.count - ending.utf8CodeUnitCount
        guard start > 0, raw[start...].elementsEqual(UnsafeBufferPointer(start: ending.utf8Start, count: ending.utf8CodeUnitCount)) else {
            return nil
        }
        let path = Array(raw[..<start]) + Array(raw[(start + 1)...])
        return path.withUnsafeBytes { isCanonical($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    private static func isCanonical(_ path: UnsafeRawBufferPointer) -> Bool {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        var previous: UInt8 = 0
        for byte in path {
            if byte == slash {
                // An empty segment, or a segment that ends in a dot.
                if previous == slash || previous == dot { return false }
            } else if !isAllowed(byte) {
                return false
            }
            previous = byte
        }
        return previous != dot
    }

    /// Letters, digits and ``-._~!$&'()*+,=:@``, as one bit for each byte, since this is called for every byte of every path.
    @inline(__always) private static func isAllowed(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x27FF_7FD2_0000_0000 : byte < 128 ? 0x47FF_FFFE_87FF_FFFF : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }
}
