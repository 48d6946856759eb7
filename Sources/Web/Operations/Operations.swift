package import HTTP
import Logging
import Runtime
import Text

/// The addresses for operators and monitoring: is the process alive, is it ready, what are its metrics.
///
/// Where the configuration has `operations`, only that listener answers them; otherwise the API's listener does. Their paths have no
/// second form.
package enum Operations {
    package static let handlers: [Handler] = [Live.handler, Ready.handler, MetricsText.handler]

    /// For the address without a path, on every listener.
    package static let front: [Handler] = [Root.handler, RootPost.handler]

    /// For the operator's question how a request arrives, on the API's listener.
    package static let proxyCheck = ProxyCheck.handler
    package static let proxyCheckPath = ProxyCheck.route.path
}

/// Says that the process runs. It says nothing of the database, so that no supervisor restarts processes because of an outage there.
private struct Live: ImmediateEndpoint {
    static let route = Route(.get, "/health/live", access: .anyone)
    static let content = CallContent(answers: [.content("text/plain")])
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("ok\n") }
}

/// Says whether requests can be served: the database answers, its schema is this binary's, and it takes writes.
private struct Ready: RawEndpoint {
    static let route = Route(.get, "/health/ready", access: .anyone)
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(answers: [
        .content("text/plain"), .content("text/plain", status: 503, "Requests cannot be served; the log says why."),
    ])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        do {
            try await context.services.readiness()
            return .text("ready\n")
        } catch {
            context.log.warning("not ready", metadata: ["error": "\(LogDetail.of(error))"])
            return .text("not ready\n", status: 503)
        }
    }
}

/// The metrics in Prometheus' text format.
private struct MetricsText: ImmediateEndpoint {
    static let route = Route(.get, "/metrics", access: .anyone)
    static let content = CallContent(answers: [.content("text/plain")])
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(
            headers: ["content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store"],
            body: context.services.metrics.rendered(at: MonotonicTime.read()))
    }
}

/// A page for a person who opens the address without a path. It says which server answers here, and nothing else.
private struct Root: ImmediateEndpoint {
    static let route = Route(.get, "/", access: .anyone)
    static let content = CallContent(answers: [.content("text/plain")])
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("Gatehouse\n") }
}

/// For load balancers and probes that send POST to the address without a path.
private struct RootPost: ImmediateEndpoint {
    static let route = Route(.post, "/", access: .anyone)
    static let content = CallContent(answers: [.content("text/plain")])
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("Gatehouse\n") }
}

extension Response {
    package static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status, headers: ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"], body: Array(text.utf8))
    }
}
