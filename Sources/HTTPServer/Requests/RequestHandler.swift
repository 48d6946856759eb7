package import HTTP
import Text

/// Answers the requests of one loop; each loop has one instance. Its functions are called on the loop, which they must not block.
package protocol RequestHandler: Sendable {
    /// Answers, or says what has to be done first. A HEAD is answered like a GET; the server leaves the body out.
    func answer(_ request: Request) -> Answer

    /// The answer to a request whose body is larger than the limit; `request` does not have all of it.
    func bodyTooLarge(_ request: Request) -> Response
}

/// How a handler answers a request.
package enum Answer {
    /// A response that could be made at once.
    case ready(Response)
    /// The work that makes the response. It runs in a task on the loop.
    case pending(@Sendable () async -> Response)
}

extension RequestHandler {
    package func bodyTooLarge(_ request: Request) -> Response { Response(status: 413) }
}
