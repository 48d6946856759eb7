package import Runtime

/// One complete HTTP request: the server hands it over once head and body have arrived.
///
/// This target is HTTP as values, without a socket: `Request`, `Response`, `Headers`, and the readers and writers of their parts
/// (`CanonicalPath`, `URI`, `Form`, `Cookie`, `Address`, `ClientAddress`). `HTTPServer` and `Curl` handle the bytes on the wire.
package struct Request: Sendable {
    package var method: Method
    /// The path as routing, limits and access checks see it: in its one canonical form (`CanonicalPath`), without the query.
    package var path: String
    /// The part behind the `?`, unchanged; `Form(query)` reads it.
    package var query: String
    package var headers: Headers
    package var body: [UInt8]
    /// The address that opened the connection, or the one that a trusted proxy reports.
    package var peer: Address
    /// The address that opened the connection, whatever a proxy reports.
    package var connectedFrom: Address
    /// Whether a trusted proxy reports that the client used https; false without a proxy.
    package var isSecure: Bool
    /// Identifies the request in the access log, the error log and the answer to an internal error.
    package var id: RequestID
    /// When the last byte of the request arrived.
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
    /// Any other token; answered with 405 or 501.
    case other(String)

    /// The method's name in a request line.
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

/// A number that is unique in the process, and from which the next one is hard to guess; printed as 16 hex digits.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func random() -> RequestID { RequestID(.random(in: .min ... .max)) }
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
