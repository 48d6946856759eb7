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
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let query = UnsafeRawBufferPointer(rebasing: target[min(mark + 1, target.count)...])
        guard query.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let path = path(UnsafeRawBufferPointer(rebasing: target[..<mark]))
        else { return nil }
        return (path, String(decoding: query, as: UTF8.self))
    }

    private static func path(_ raw: UnsafeRawBufferPointer) -> String? {
        guard raw.first == UInt8(ascii: "/") else { return nil }
        if !raw.contains(UInt8(ascii: "%")) { return isCanonical(raw) ? String(decoding: raw, as: UTF8.self) : nil }
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
            } else if !byte.isPathCharacter || byte == UInt8(ascii: ";") {
                return false
            }
            previous = byte
        }
        return previous != dot
    }
}
