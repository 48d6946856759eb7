package import HTTP
import Text

extension Response {
    /// A document that anyone may read, in any page, and that caches may keep for an hour: metadata and public keys.
    ///
    /// - Parameter tag: the entity tag, with its quotation marks; a caller that has this version gets 304.
    package init(publicDocument bytes: [UInt8], tag: String? = nil, for request: Request) {
        self.init(headers: publicHeaders, body: bytes)
        guard let tag else { return }
        headers.add("etag", tag)
        let known = request.headers.values("if-none-match").flatMap { $0.split { $0 == UInt8(ascii: ",") } }
        guard known.contains(where: { $0.trimmed == tag || $0.trimmed == "W/\(tag)" }) else { return }
        status = 304
        body = []
    }
}

/// Made once, since back ends fetch the keys more often than anything else. The hour is less than the overlap of a key rotation.
private let publicHeaders: Headers = [
    "content-type": "application/json; charset=utf-8", "cache-control": "public, max-age=3600", "access-control-allow-origin": "*",
]
