import Crypto
import HTTP
import Text

/// A script of our pages, held in memory: a file of a feature's `Scripts/` without its comments.
///
/// Each has one stable name, which apps may link to; there, caches may keep it for five minutes. With `?v=` and its version, as our own
/// pages link it, they may keep it for a year. A request for another version (of another process, during an update) gets the present one.
package struct PageScript: Sendable {
    package let path: String
    private let aliases: [String]
    package let bytes: [UInt8]
    /// A digest of the content.
    private let version: String

    package init(at path: String, aliases: [String] = [], _ source: [UInt8]) {
        self.path = path
        self.aliases = aliases
        bytes = Self.withoutComments(source)
        version = Base64URL.encode(Array(Digest.sha256(bytes).prefix(9)))
    }

    /// Asks the browser for passkeys: at the pages of projects, and at those of the console.
    package static let passkey = PageScript(at: "/__/auth/passkey.js", PackageResources.passkey_js)

    /// Removes comment lines and indentation, which browsers do not need. The scripts have no text that goes over several lines, so the
    /// beginning of a line shows whether it is a comment; a comment behind code stays.
    static func withoutComments(_ source: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var isComment = false
        for line in source.split(separator: UInt8(ascii: "\n")) {
            let code = line.drop { $0 == UInt8(ascii: " ") }
            isComment = isComment || code.starts(with: "/*".utf8)
            if !isComment, !code.isEmpty, !code.starts(with: "//".utf8) { result += code + [UInt8(ascii: "\n")] }
            if code.reversed().starts(with: "/*".utf8) { isComment = false }
        }
        return result
    }

    /// The address that our pages link to.
    package var link: String { "\(path)?v=\(version)" }

    package var handler: Handler {
        Handler(
            route: Route(.get, path, aliases: aliases, access: .anyone), errorFormat: .page,
            named: "Script." + path.split(separator: "/").suffix(1).joined(),
            content: { CallContent(answers: [.content("text/javascript"), .empty(304, "The browser has this version.")]) },
            immediate: { request, _ in response(to: request) })
    }

    private func response(to request: Request) -> Response {
        let isVersioned = UTF8Text(request.query) == "v=\(version)"
        var headers: Headers = [
            "content-type": "text/javascript; charset=utf-8",
            "cache-control": isVersioned ? "public, max-age=31536000, immutable" : "public, max-age=300",
            "etag": "\"\(version)\"", "x-content-type-options": "nosniff", "cross-origin-resource-policy": "cross-origin",
        ]
        let known = request.headers.values("if-none-match").flatMap { $0.split { $0 == UInt8(ascii: ",") } }
        if known.contains(where: isThis) {
            headers["content-type"] = nil
            return Response(status: 304, headers: headers)
        }
        return Response(headers: headers, body: bytes)
    }

    /// Whether an entity tag of a request is that of this version, weak or not.
    private func isThis(_ tag: UTF8Text) -> Bool {
        let tag = tag.trimmed
        return tag == "\"\(version)\"" || tag == "W/\"\(version)\""
    }
}
