package import Runtime

/// One HTTP request, complete: the server hands it over once head and body are in.
///
/// This target is HTTP as values, without a socket: `Request`, `Response`, `Headers`, and the readers and writers of what travels in
/// them (`CanonicalPath`, `URI`, `Form`, `Cookie`, `Address`, `ClientAddress`). Bytes on the wire are `HTTPServer`'s and `Curl`'s.
package struct Request: Sendable {
    package var method: Method
    /// The path as routing, limits and access see it: one canonical form (`CanonicalPath`), without the query.
    package var path: String
    /// Behind the `?`, as it came; `Form(query)` reads it.
    package var query: String
    package var headers: Headers
    package var body: [UInt8]
    /// Who opened the connection, or what a trusted proxy says of it.
    package var peer: Address
    /// Who opened the connection, whatever is said of it.
    package var connectedFrom: Address
    /// Whether a trusted proxy says that the client came by https; false without one.
    package var isSecure: Bool
    /// Names the request in the access log, the error log and the answer to an internal error.
    package var id: RequestID
    /// When its last byte came.
    package var received: MonotonicTime

    package init(
        method: Method, path: String, query: String = "", headers: Headers = Headers(), body: [UInt8] = [],
        peer: Address = .loopback, id: RequestID = RequestID(0), received: MonotonicTime = .read(),
        isSecure: Bool = false, connectedFrom: Address = .loopback
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.isSecure = isSecure
        self.connectedFrom = connectedFrom
        self.id = id
        self.received = received
    }
}

package enum Method: Sendable, Hashable {
    case get, head, post, put, patch, delete, options
    /// Anything else that is a token; answered 405 or 501.
    case other(String)

    /// As it stands in a request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }
}

/// A number that is unique in the process's life and hard to guess the neighbours of; printed as 16 hex digits.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
