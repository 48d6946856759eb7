package import HTTP
import JSON
import Text

/// One JSON call of the REST API: its route, its input and its output.
///
/// Features are built from what Web offers. A request goes from `App` (the server's handler) to `Router.match`, to `Access`, to the
/// endpoint's `Input` (decoded once), to the endpoint, and to its `Output` or to the `Failure` that `FailureResponse` writes in the
/// route's format. There is no middleware: what all calls share is in these few lines, in this order.
package protocol Endpoint: Sendable {
    associatedtype Input: Decodable & Sendable
    associatedtype Output: Encodable & Sendable
    static var route: Route { get }
    init()
    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output
}

extension Endpoint {
    /// The endpoint as the router keeps it.
    package static var handler: Handler {
        Handler(route: route, errorFormat: .googleJSON) { request, context in
            let output = try await Self()(try JSONBody.decode(Input.self, from: request), context)
            return Response(json: try JSON(encoding: output).bytes())
        }
    }
}

/// A call that reads the request itself and answers in its own form: pages, redirects, form-encoded tokens.
package protocol RawEndpoint: Sendable {
    static var route: Route { get }
    static var errorFormat: ErrorFormat { get }
    init()
    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response
}

extension RawEndpoint {
    package static var handler: Handler {
        Handler(route: route, errorFormat: errorFormat) { request, context in try await Self()(request, context) }
    }
}

/// A call that is answered at once and without a task, from what the process already holds.
package protocol ImmediateEndpoint: Sendable {
    static var route: Route { get }
    init()
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response
}

extension ImmediateEndpoint {
    package static var handler: Handler {
        Handler(route: route, errorFormat: .googleJSON, immediate: { request, context in try Self()(request, context) })
    }
}

/// One entry of the router.
package final class Handler: Sendable {
    package enum Work: Sendable {
        case immediate(@Sendable (Request, Context) throws -> Response)
        case asynchronous(@Sendable (Request, Context) async throws -> Response)
    }

    package let route: Route
    package let errorFormat: ErrorFormat
    package let work: Work

    package init(route: Route, errorFormat: ErrorFormat, work: @escaping @Sendable (Request, Context) async throws -> Response) {
        self.route = route
        self.errorFormat = errorFormat
        self.work = .asynchronous(work)
    }

    package init(route: Route, errorFormat: ErrorFormat, immediate: @escaping @Sendable (Request, Context) throws -> Response) {
        self.route = route
        self.errorFormat = errorFormat
        work = .immediate(immediate)
    }
}

/// The format in which a route answers errors.
package enum ErrorFormat: Sendable {
    /// `{"error":{"code":400,"message":"EMAIL_EXISTS",…}}`
    case googleJSON
    /// `{"error":"invalid_grant","error_description":"…"}`: RFC 6749 §5.2. What is not about the request, its client or its grant is plain text.
    case oauthJSON
    /// A small page for a person.
    case page
}
