import HTTP
package import Web

/// The sample page of a server in development: files of one folder, held in memory, at `/sample/`.
package struct SampleFiles: Sendable {
    private let files: [String: (type: String, bytes: [UInt8])]

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// - Parameter files: content by file name; names of other kinds than page, script, style and drawing are left out.
    package init(_ files: [String: [UInt8]]) {
        var typed: [String: (type: String, bytes: [UInt8])] = [:]
        for (name, bytes) in files {
            guard let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""] else { continue }
            typed[name] = (type, bytes)
        }
        self.files = typed
    }

    package var handlers: [Handler] {
        ["/sample/", "/sample/{file}"].map { path in
            Handler(
                route: Route(.get, path, access: .anyone), tongue: .page,
                immediate: { [self] _, context in
                    guard let file = files[context.parameters["file"] ?? "index.html"] else { throw Failure.notFound }
                    return Response(
                        headers: [
                            "content-type": file.type,
                            "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
                            "cache-control": "no-cache", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
                        ], body: file.bytes)
                })
        }
    }
}
