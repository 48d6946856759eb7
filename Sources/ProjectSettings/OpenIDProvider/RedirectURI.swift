import Text

/// The parts of a redirect URI that are compared in different ways: <https://www.rfc-editor.org/rfc/rfc3986#section-3>.
///
/// It checks nothing: whatever stands before the first colon is the scheme. Its texts are bytes of the sender's.
struct RedirectURI {
    /// In lower case.
    let scheme: UTF8Text
    /// Host and port, in lower case; `nil` where no `//` follows the scheme.
    let authority: UTF8Text?
    /// The path with all that follows it, unchanged.
    let rest: UTF8Text

    /// The most bytes of a redirect URI.
    static let longest = 2048

    /// `nil` when the text has no scheme.
    init?(_ text: UTF8Text) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        scheme = UTF8Text(decoding: bytes[..<colon]).asciiLowercased
        let rest = bytes[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else {
            authority = nil
            self.rest = UTF8Text(decoding: rest)
            return
        }
        let host = rest.dropFirst(2)
        let end = host.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) } ?? host.endIndex
        authority = UTF8Text(decoding: host[..<end]).asciiLowercased
        self.rest = UTF8Text(decoding: host[end...])
    }

    /// The part before the query.
    var path: UTF8Text { UTF8Text(decoding: rest.utf8.prefix { $0 != UInt8(ascii: "?") }) }

    /// `nil` where there is none.
    var query: UTF8Text? {
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return UTF8Text(decoding: rest.utf8[mark...].dropFirst())
    }

    /// The hosts whose `http` stays on the machine. <https://www.rfc-editor.org/rfc/rfc8252#section-8.3>
    static let loopbackHosts: [UTF8Text] = ["127.0.0.1", "[::1]", "localhost"]

    /// Whether it is plain `http` of this machine, with a port or without.
    var isLoopback: Bool {
        guard scheme == "http", let authority else { return false }
        return Self.loopbackHosts.contains { authority == $0 || Self.isPort(authority, after: $0) }
    }

    /// Whether it is plain `http` of this machine without a port.
    var isLoopbackWithoutPort: Bool { scheme == "http" && authority.map(Self.loopbackHosts.contains) ?? false }

    /// Whether `authority` is the host, a colon and a number from 1 to 65535 without leading zeros.
    static func isPort(_ authority: UTF8Text, after host: UTF8Text) -> Bool {
        guard authority.utf8.starts(with: host.utf8) else { return false }
        let rest = authority.utf8.dropFirst(host.utf8.count)
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65535
    }
}
