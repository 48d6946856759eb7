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
    package static func parse(_ text: String) -> URI? { parse(UTF8Text(text)) }
    package static func parse(_ text: UTF8Text) -> URI? {
        text.utf8.count <= 8192 ? URIParser.parse(Array(text.utf8), reading: URIParser.exactly) : nil
    }

    /// The address of an app's page, whether a browser reports it (`location.href`) or a developer wrote it by hand: read as browsers read
    /// it, and kept in the form that they write. <https://url.spec.whatwg.org/#url-serializing>
    ///
    /// It is stricter than browsers where two readers could see different hosts: the text must have `://`, a host in ASCII and no user; a
    /// host that ends in a number must be a dotted IPv4 address; the path has no backslash, and no part has a control character. It may have
    /// any length, which is for the caller to bound where the address is kept.
    package static func ofPage(_ text: UTF8Text) -> URI? {
        URIParser.parse(Array(text.trimmed.utf8), reading: URIParser.asBrowsers)
    }

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
