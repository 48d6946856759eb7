package import HTTP
import Text

/// Answers the requests of one loop; each loop has one instance.
package protocol RequestHandler: Sendable {
    /// An answer that is available at once: bytes that were made before. `nil` leaves the request to `respond`. Called on the loop.
    func immediate(_ request: borrowing Request) -> Response?

    /// Whether a server that is full must still answer this request, because it is a health check.
    func isHealthCheck(_ request: borrowing Request) -> Bool

    /// The answer to a request whose body is larger than the limit; `request` does not have all of it. Called on the loop.
    func bodyTooLarge(_ request: borrowing Request) -> Response

    /// Runs on the loop, which it must not block. A HEAD is answered like a GET; the server leaves the body out.
    func respond(to request: Request) async -> Response
}

extension RequestHandler {
    package func immediate(_ request: borrowing Request) -> Response? { nil }

    package func isHealthCheck(_ request: borrowing Request) -> Bool { false }

    package func bodyTooLarge(_ request: borrowing Request) -> Response { Response(status: 413) }
}
