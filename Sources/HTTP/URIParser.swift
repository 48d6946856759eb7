/// Takes the text of a ``URI`` apart. How the parts behind the host are read is the caller's choice.
enum URIParser {
    enum Part { case path, query, fragment }

    static func parse(_ text: [UInt8], reading part: (ArraySlice<UInt8>, Part) -> String?) -> URI? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = String(decoding: text[..<colon].map(\.lowercased), as: UTF8.self)
        guard scheme == "http" || scheme == "https", text[colon...].starts(with: "://".utf8) else { return nil }
        var rest = text[(colon + 3)...]
        var fragment: String?
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard let value = part(rest[(mark + 1)...], .fragment) else { return nil }
            fragment = value
            rest = rest[..<mark]
        }
        var query: String?
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard let value = part(rest[(mark + 1)...], .query) else { return nil }
            query = value
            rest = rest[..<mark]
        }
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let path = part(rest[slash...], .path), let (host, port) = Authority.split(rest[..<slash]) else { return nil }
        return URI(
            scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80), path: path.isEmpty ? "/" : path, query: query,
            fragment: fragment)
    }

    /// The part unchanged; `nil` when it has a character that must be encoded, or an incomplete `%xx`.
    /// <https://www.rfc-editor.org/rfc/rfc3986#section-3.3>
    static func exactly(_ bytes: ArraySlice<UInt8>, _ part: Part) -> String? {
        let extra: StaticString = part == .path ? "/" : "/?"
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, bytes[index + 1].hexValue != nil, bytes[index + 2].hexValue != nil else { return nil }
                index += 2
            } else if !byte.isPathCharacter && !extra.withUTF8Buffer({ $0.contains(byte) }) {
                return nil
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The part as browsers write it: what they would encode is encoded, and a path has no dot segments.
    /// <https://url.spec.whatwg.org/#percent-encoded-bytes>
    static func asBrowsers(_ bytes: ArraySlice<UInt8>, _ part: Part) -> String? {
        let encoded: StaticString =
            switch part {
            case .path: " \"<>^`{}"
            case .query: " \"<>'"
            case .fragment: " \"<>`"
            }
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count)
        for byte in bytes {
            guard byte >= 0x20, byte != 0x7F, part != .path || byte != UInt8(ascii: "\\") else { return nil }
            if byte >= 0x80 || encoded.withUTF8Buffer({ $0.contains(byte) }) {
                PercentEncoding.append(byte, to: &written)
            } else {
                written.append(byte)
            }
        }
        return String(decoding: part == .path ? withoutDotSegments(written) : written, as: UTF8.self)
    }

    /// <https://url.spec.whatwg.org/#path-state>
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let dots = dots(segment)
            if dots == 2, !kept.isEmpty { kept.removeLast() }
            if dots == 0 { kept.append(segment) } else if index == segments.count - 1 { kept.append([]) }
        }
        return [UInt8(ascii: "/")] + kept.joined(separator: [UInt8(ascii: "/")])
    }

    /// How many dots a segment consists of, when that is one or two, written as they are or as `%2e`; otherwise 0.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard (1...6).contains(segment.count) else { return 0 }
        let text = String(decoding: segment.map(\.lowercased), as: UTF8.self)
        switch text {
        case ".", "%2e": return 1
        case "..", ".%2e", "%2e.", "%2e%2e": return 2
        default: return 0
        }
    }
}
