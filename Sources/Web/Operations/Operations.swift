package import HTTP
import Logging
import Runtime
import Text

/// What operators and their machines ask: is it alive, is it ready, how is it doing.
///
/// They answer on the listener of the configuration's `operations`, where there is one, and there alone; else beside the API. Their paths have
/// no second form.
package enum Operations {
    package static let handlers: [Handler] = [Live.handler, Ready.handler, MetricsText.handler]

    /// For the bare address, on every listener.
    package static let front: [Handler] = [Root.handler, RootPost.handler]

    /// What a server that has no connection left answers nevertheless.
    static let healthPaths: Set<String> = [Live.route.path, Ready.route.path]
}

/// The process runs. Says nothing of the database, so that an outage there restarts nobody.
private struct Live: ImmediateEndpoint {
    static let route = Route(.get, "/health/live", access: .anyone)
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("ok\n") }
}

/// Requests can be served: the database answers, its schema is this binary's, and it takes writes.
private struct Ready: RawEndpoint {
    static let route = Route(.get, "/health/ready", access: .anyone)
    static let tongue = Tongue.googleJSON

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

/// Prometheus text format.
private struct MetricsText: ImmediateEndpoint {
    static let route = Route(.get, "/metrics", access: .anyone)
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        Response(
            headers: ["content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store"],
            body: context.services.metrics.rendered(at: MonotonicTime.read()))
    }
}

/// For a person who opens the bare address: says what answers here, and nothing else.
private struct Root: ImmediateEndpoint {
    static let route = Route(.get, "/", access: .anyone)
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("Gatehouse\n") }
}

/// Load balancers and probes that POST to the bare address.
private struct RootPost: ImmediateEndpoint {
    static let route = Route(.post, "/", access: .anyone)
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response { .text("Gatehouse\n") }
}

extension Response {
    package static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status, headers: ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"], body: Array(text.utf8))
    }
}
