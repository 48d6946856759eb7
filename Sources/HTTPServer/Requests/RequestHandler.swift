package import HTTP
import Text

/// Who answers the requests of one loop; there is one instance a loop.
package protocol RequestHandler: Sendable {
    /// An answer that needs no waiting: precomputed bytes. `nil` leaves the request to `respond`. Called on the loop.
    func immediate(_ request: borrowing Request) -> Response?

    /// Whether a server that is full answers this request nevertheless: a health check.
    func isHealthCheck(_ request: borrowing Request) -> Bool

    /// Runs on the loop, which it must not block. A HEAD is answered like the GET; the server leaves the body out.
    func respond(to request: Request) async -> Response
}

extension RequestHandler {
    package func immediate(_ request: borrowing Request) -> Response? { nil }

    package func isHealthCheck(_ request: borrowing Request) -> Bool { false }
}
