package import HTTP
package import JSON
import Text

/// One JSON call of the REST API: its route, its input and its output.
///
/// Features are built from what Web offers. A request goes from `App` (the server's handler) to `Router.match`, to `Access`, to the
/// endpoint's `Input` (decoded once), to the endpoint, and to its `Output` or to the `Failure` that `FailureResponse` writes in the
/// route's format. There is no middleware: what all calls share is in these few lines, in this order.
package protocol Endpoint: Sendable {
    associatedtype Input: Decodable & Sendable
    /// Both ways, so that the description of the API can find out its members.
    associatedtype Output: Codable & Sendable
    static var route: Route { get }
    /// The parameters that it reads of the query besides its input; none, unless a call says otherwise.
    static var query: JSONShape { get }
    init()
    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output
}

extension Endpoint {
    package static var query: JSONShape { .object([]) }

    /// The endpoint as the router keeps it.
    package static var handler: Handler {
        Handler(
            route: route, errorFormat: .googleJSON, named: Handler.name(of: Self.self),
            content: { try .of(Input.self, Output.self, query: query, route) }
        ) { request, context in
            let body = try JSONBody.object(of: request)
            let context = context.isKeyed ? try await context.inRealm(of: body) : context
            let output = try await Self()(try JSONBody.decode(Input.self, from: body), context)
            return Response(json: try JSON(encoding: output).bytes())
        }
    }
}

/// A call that reads the request itself and answers in its own form: pages, redirects, form-encoded tokens.
package protocol RawEndpoint: Sendable {
    static var route: Route { get }
    static var errorFormat: ErrorFormat { get }
    /// Its input and its answers, for the description of the API.
    static var content: CallContent { get throws }
    init()
    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response
}

extension RawEndpoint {
    package static var handler: Handler {
        Handler(route: route, errorFormat: errorFormat, named: Handler.name(of: Self.self), content: { try content }) { request, context in
            try await Self()(request, context)
        }
    }
}

/// A call that is answered at once and without a task, from what the process already holds.
package protocol ImmediateEndpoint: Sendable {
    static var route: Route { get }
    /// Its input and its answers, for the description of the API.
    static var content: CallContent { get throws }
    init()
    func callAsFunction(_ request: Request, _ context: Context) throws -> Response
}

extension ImmediateEndpoint {
    package static var handler: Handler {
        Handler(
            route: route, errorFormat: .googleJSON, named: Handler.name(of: Self.self), content: { try content },
            immediate: { request, context in try Self()(request, context) })
    }
}

/// One entry of the router.
package final class Handler: Sendable {
    package enum Work: Sendable {
        case immediate(@Sendable (Request, Context) throws -> Response)
        case asynchronous(AsynchronousWork)
    }
    package typealias AsynchronousWork = @Sendable (Request, Context) async throws -> Response

    package let route: Route
    package let errorFormat: ErrorFormat
    package let work: Work
    /// The operation's id in the description of the API: `IdentityToolkit.SignUp`.
    package let name: String
    /// The call's input and answers, which are found out only when they are asked for.
    package let content: @Sendable () throws -> CallContent

    /// - Parameter name: the operation's id, which no other call has.
    package init(
        route: Route, errorFormat: ErrorFormat, named name: String, content: @escaping @Sendable () throws -> CallContent,
        work: @escaping AsynchronousWork
    ) {
        self.route = route
        self.errorFormat = errorFormat
        self.work = .asynchronous(work)
        self.content = content
        self.name = name
    }

    package init(
        route: Route, errorFormat: ErrorFormat, named name: String, content: @escaping @Sendable () throws -> CallContent,
        immediate: @escaping @Sendable (Request, Context) throws -> Response
    ) {
        self.route = route
        self.errorFormat = errorFormat
        work = .immediate(immediate)
        self.content = content
        self.name = name
    }

    /// The module and the type; an endpoint that is private to a file is named alike.
    ///
    /// `String(reflecting:)` would say the same, but looks through all conformances of the program for each type: 20 ms at the start.
    package static func name(of type: Any.Type) -> String {
        "\(_typeName(type).prefix { $0 != "." }).\(_typeName(type, qualified: false))"
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
