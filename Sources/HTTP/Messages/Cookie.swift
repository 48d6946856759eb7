import Runtime
package import Text

/// One cookie of a request.
/// <https://www.rfc-editor.org/rfc/rfc6265#section-4.2>
package struct Cookie: Sendable, Equatable {
    package let name: UTF8Text
    package let value: UTF8Text

    /// The pairs of a `Cookie` header in their order. A part that is not `name=value` with a token as its name is left out.
    package static func parse(_ header: UTF8Text) -> [Cookie] {
        header.utf8.split(separator: UInt8(ascii: ";")).compactMap { part in
            let pair = part.trimmingSpaces.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, pair[0].allSatisfy(\.isToken) else { return nil }
            var value = pair[1]
            if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
                value = value.dropFirst().dropLast()
            }
            return Cookie(name: UTF8Text(pair[0]), value: UTF8Text(value))
        }
    }
}

extension Headers {
    /// The value of the cookie; `nil` when it is absent, or when two values differ, since then another site may have planted one.
    package func cookie(_ name: String) -> UTF8Text? {
        let values = values("cookie").flatMap(Cookie.parse).filter { $0.name == name }.map(\.value)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

/// A `Set-Cookie` header. By default it is `Secure`, `HttpOnly`, `SameSite=Lax`, for the whole host and for the browser's session.
/// <https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#section-4.1>
package struct SetCookie: Sendable {
    package enum SameSite: String, Sendable {
        case strict = "Strict"
        case lax = "Lax"
        case none = "None"
    }

    package var name: String
    package var value: String
    package var path = "/"
    /// `nil` means until the browser's session ends; zero removes the cookie.
    package var maxAge: Duration?
    package var isSecure = true
    package var isHTTPOnly = true
    package var sameSite = SameSite.lax
    /// Whether browsers store it separately for each top-level site (CHIPS), for cookies in frames of other sites.
    package var isPartitioned = false

    package init(_ name: String, _ value: String, maxAge: Duration? = nil) {
        self.name = name
        self.value = value
        self.maxAge = maxAge
    }

    /// The value of the header. Bytes that a name or value cannot contain are percent-encoded.
    package var header: String {
        var text = Self.encode(name, keeping: \.isToken) + "=" + Self.encode(value, keeping: \.isCookieOctet)
        text += "; Path=" + Self.encode(path) { $0 == UInt8(ascii: "/") || $0.isUnreserved }
        if let maxAge { text += "; Max-Age=\(max(0, maxAge.wholeSeconds))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        text += "; SameSite=\(sameSite.rawValue)"
        if isPartitioned { text += "; Partitioned" }
        return text
    }

    private static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isKept) { return text }
        return text.unicodeScalars.map {
            $0.isASCII && isKept(UInt8(truncatingIfNeeded: $0.value)) ? String($0) : PercentEncoding.encode(String($0))
        }
        .joined()
    }
}

extension UInt8 {
    /// Printable ASCII without space, `"`, `,`, `;` and `\`.
    fileprivate var isCookieOctet: Bool {
        switch self {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension Substring.UTF8View {
    /// The bytes without spaces and tabs at both ends.
    var trimmingSpaces: Substring.UTF8View {
        var rest = self
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return rest
    }
}
