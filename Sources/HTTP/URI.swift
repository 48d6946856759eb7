package import Text

/// An absolute `http` or `https` URL, read strictly: no user, no space, no backslash, no character outside ASCII, only complete `%xx`.
///
/// Scheme and host are kept in lower case and a default port is dropped. Path, query and fragment stay unchanged, since redirect targets
/// are compared exactly (SEC-10). <https://www.rfc-editor.org/rfc/rfc3986>
package struct URI: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// A name, a dotted IPv4 address, or an IPv6 address in brackets.
    package let host: String
    /// The port to connect to, whether it was written or not.
    package let port: Int
    /// Starts with a slash; `/` when the URL had none.
    package let path: String
    /// Without the `?`; `nil` when there was none.
    package let query: String?
    /// Without the `#`; `nil` when there was none.
    package let fragment: String?

    /// `nil` when the text is not such a URL.
    package static func parse(_ text: String) -> URI? { URIParser.parse(Array(text.utf8)) }
    package static func parse(_ text: UTF8Text) -> URI? { URIParser.parse(Array(text.utf8)) }

    /// `https://host` or `https://host:port`: the form that CORS and `postMessage` compare.
    package var origin: String { "\(scheme)://\(authority)" }

    /// The host, and the port when it is not the scheme's own.
    package var authority: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }

    package var isSecure: Bool { scheme == "https" }

    /// Whether the host is `localhost`, a name below it, or a loopback address.
    package var isLoopback: Bool { ThisMachine.isLoopback(host: host) }

    /// Whether the scheme is https. If `development`, http of this machine counts, too.
    package func isSecure(orLoopbackIf development: Bool) -> Bool { isSecure || development && isLoopback }

    /// Whether it is over https or on a loopback host: browsers treat both as secure.
    /// <https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy>
    package var isTrustworthy: Bool { isSecure(orLoopbackIf: true) }

    /// The address, when the host is one.
    package var address: Address? { host.hasPrefix("[") ? Address(host.dropFirst().dropLast()) : Address(host) }

    package var description: String {
        origin + path + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    }

    /// The same URL with `form` added to its query. Fields of the query whose names occur in the form are removed, so that readers find
    /// the same value whether they take the first or the last field of a name.
    package func replacing(_ form: Form) -> URI {
        if form.fields.isEmpty { return self }
        let kept = (query ?? "").utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter { piece in
            guard let name = Form(Array(piece))?.fields.first?.name else { return true }
            return !form.fields.contains { $0.name.utf8.elementsEqual(name.utf8) }
        }
        let query = kept.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "&")
        return URI(
            scheme: scheme, host: host, port: port, path: path, query: query + (query.isEmpty ? "" : "&") + form.encoded(),
            fragment: fragment)
    }
}

private enum URIParser {
    static func parse(_ text: [UInt8]) -> URI? {
        guard text.count <= 8192, let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = String(decoding: text[..<colon].map(\.lowercased), as: UTF8.self)
        guard scheme == "http" || scheme == "https", text[colon...].starts(with: "://".utf8) else { return nil }
        var rest = text[(colon + 3)...]
        var fragment: String?
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard let value = part(rest[(mark + 1)...], allowing: "/?") else { return nil }
            fragment = value
            rest = rest[..<mark]
        }
        var query: String?
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard let value = part(rest[(mark + 1)...], allowing: "/?") else { return nil }
            query = value
            rest = rest[..<mark]
        }
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let path = part(rest[slash...], allowing: "/"), let (host, port) = authority(rest[..<slash], scheme) else { return nil }
        return URI(scheme: scheme, host: host, port: port, path: path.isEmpty ? "/" : path, query: query, fragment: fragment)
    }

    private static func part(_ bytes: ArraySlice<UInt8>, allowing extra: StaticString) -> String? {
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

    private static func authority(_ bytes: ArraySlice<UInt8>, _ scheme: String) -> (host: String, port: Int)? {
        guard let (host, digits) = Authority.split(bytes) else { return nil }
        guard let digits else { return (host, scheme == "https" ? 443 : 80) }
        return (host, digits)
    }
}

/// `host[:port]`, as in URLs and in the Host header.
package enum Authority {
    /// The host in lower case (an IPv6 address in brackets) and the port if there is one; `nil` when the text is not an authority.
    package static func split(_ bytes: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        var end = bytes.endIndex
        var port: Int?
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]"))
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bracket.map({ colon > $0 }) ?? true {
            let digits = bytes[(colon + 1)...]
            guard (1...5).contains(digits.count), digits.first != 0x30, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(String(decoding: digits, as: UTF8.self)), number <= 65535
            else { return nil }
            port = number
            end = colon
        }
        guard let host = host(bytes[..<end]) else { return nil }
        return (host, port)
    }

    /// Reads a DNS name (letters, digits, `-`, `_`), an IPv4 address, or an IPv6 address in brackets.
    private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.last == UInt8(ascii: "]"), let address = Address(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)),
                !address.isV4
            else { return nil }
            return "[\(address)]"
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, let last = labels.last else { return nil }
        for label in labels {
            guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-"),
                label.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
            else { return nil }
        }
        let host = String(decoding: bytes.map(\.lowercased), as: UTF8.self)
        // Some readers treat 0x7f.1 or 2130706433 as an address, so a host that ends in a number must be an IPv4 address in dotted form.
        let isNumber = last.allSatisfy { (0x30...0x39).contains($0) } || last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return isNumber && Address(host) == nil ? nil : host
    }
}
