package import HTTP
import Text

/// Sends requests to other servers: `HTTPClient` in production, canned answers in tests.
package protocol Upstream: Sendable {
    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse

    /// The PEM file of the authorities that are trusted for the other servers; `nil` means the system's. An answer is only worth as much
    /// as the authority behind it, so caches keep answers apart by this.
    var authorities: String? { get }
}

extension Upstream {
    package var authorities: String? { nil }
}

/// One request to another server.
package struct OutboundRequest: Sendable {
    package var method: Method
    /// Absolute, `https` (or `http` where the `DialPolicy` allows the address).
    package var url: String
    package var headers: Headers
    package var body: [UInt8]?
    /// The limit for everything from the name look-up to the last byte.
    package var timeout: Duration = .seconds(10)
    package var connectTimeout: Duration = .seconds(5)
    /// A longer response body ends the transfer with `tooLarge`.
    package var maxBytes = 1 << 20
    /// A PEM file of authorities to trust instead of the client's own.
    package var authorities: String?
    /// Whether the response has the certificate that the other server showed.
    package var wantsCertificate = false

    package init(_ method: Method = .get, _ url: String, headers: Headers = Headers(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The answer of the other server, whatever its status.
package struct OutboundResponse: Sendable {
    package var status: Int
    package var headers: Headers
    package var body: [UInt8]
    /// PEM; `nil` without TLS, and for a request that did not ask for it.
    package var certificate: String?

    package init(status: Int = 200, headers: Headers = Headers(), body: [UInt8] = [], certificate: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.certificate = certificate
    }
}

/// The reason why a request has no answer. Texts are for the log; they name hosts, never paths, queries or header values.
package enum OutboundError: Error, Equatable, Sendable {
    /// All addresses of the name are refused by the dial policy.
    case refusedAddress
    /// Not an absolute URL of an allowed scheme, or a URL with a user name in it.
    case refusedURL
    /// A header value that would break the request apart.
    case refusedHeader(String)
    case timedOut
    /// The body passed `maxBytes`, or the header fields passed 64 KiB or 200 lines.
    case tooLarge
    /// No connection was made, so that no byte of the request has left this machine.
    case notConnected(String)
    /// The connection ended before the answer was complete, or the answer was not HTTP.
    case unreachable(String)
    /// The task that waited was cancelled.
    case cancelled
}

extension OutboundError: CustomStringConvertible {
    /// A clause for the operator, which can stand behind the name of the other server and a colon.
    package var description: String {
        switch self {
        case .refusedAddress: "it is at an address that may not be dialled (outbound.allow in the configuration lists exceptions)"
        case .refusedURL: "its URL may not be fetched (plain http goes to addresses of outbound.allow alone)"
        case .refusedHeader(let name): "the header \(name) of the request is malformed"
        case .timedOut: "it did not answer in time"
        case .tooLarge: "its answer is too large"
        case .notConnected(let reason), .unreachable(let reason): reason
        case .cancelled: "the call was given up before the answer"
        }
    }
}
