import Glibc

/// The one form of a path that routing, limits and access all see (SEC-09).
///
/// A canonical path is `/`, then segments of letters, digits and ``-._~!$&'()*+,=:@``, with `%xx` of those decoded, case kept.
/// Whatever two readers could take for different paths is refused rather than repaired: empty segments, `.` and `..`, a
/// segment that ends in a dot, `;` parameters, backslashes, and `%xx` that stands for anything but the above (so `%2F`, `%00` and `%25`
/// too). A trailing slash is kept: `/a` and `/a/` are two paths.
package enum CanonicalPath {
    /// Splits and checks the target of a request; `nil` is to be answered 400.
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
        guard raw.contains(UInt8(ascii: "%")) else { return nil }
        // A decoded slash could be told from a written one no longer, so it is looked for before it is decoded.
        guard let decoded = PercentEncoding.decode(raw),
            decoded.count(where: { $0 == UInt8(ascii: "/") }) == raw.count(where: { $0 == UInt8(ascii: "/") })
        else { return nil }
        return decoded.withUnsafeBytes { isCanonical($0) ? String(decoding: $0, as: UTF8.self) : nil }
    }

    private static func isCanonical(_ path: UnsafeRawBufferPointer) -> Bool {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        var previous: UInt8 = 0
        for byte in path {
            if byte == slash {
                // An empty segment, or one that ends in a dot.
                if previous == slash || previous == dot { return false }
            } else if !isAllowed(byte) {
                return false
            }
            previous = byte
        }
        return previous != dot
    }

    /// Letters, digits and ``-._~!$&'()*+,=:@``, as a bit a byte: every byte of every path is asked for.
    @inline(__always) private static func isAllowed(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x27FF_7FD2_0000_0000 : byte < 128 ? 0x47FF_FFFE_87FF_FFFF : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }
}
