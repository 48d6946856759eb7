import Accounts
package import HTTP
package import HTTPServer
import Logging
import Projects
import Text

/// Answers all requests of one loop: the router, and the parts that it hands to endpoints.
package struct App: RequestHandler {
    private let router: Router
    private let services: Services

    package init(_ handlers: [Handler], services: Services) {
        router = Router(handlers)
        self.services = services
    }

    package func answer(_ request: Request) -> Answer {
        if request.method == .options { return .ready(finish(CrossOrigin.preflight(request), request, nil)) }
        switch match(request) {
        case .found(let handler, let parameters):
            let context: Context
            do { context = try self.context(handler, request, parameters) } catch { return .ready(refuse(error, request, handler)) }
            do {
                switch handler.work {
                case .immediate(let work): return .ready(finish(try work(request, context), request, handler, context.projects))
                case .asynchronous(let work): return .pending { await response(to: request, handler, context, work) }
                }
            } catch {
                return .ready(refuse(error, request, handler, at: context.projects))
            }
        case .otherMethods(let methods, let errorFormat):
            var response = refuse(Failure.methodNotAllowed, request, nil, in: errorFormat)
            response.headers.add("allow", methods.map(\.name).joined(separator: ", "))
            return .ready(response)
        case .none:
            return .ready(refuse(Failure.notFound, request, nil))
        }
    }

    private func response(
        to request: Request, _ handler: Handler, _ context: Context, _ work: Handler.AsynchronousWork
    ) async -> Response {
        do { return finish(try await work(request, context), request, handler, context.projects) } catch {
            return refuse(error, request, handler, at: context.projects)
        }
    }

    package func bodyTooLarge(_ request: Request) -> Response {
        guard case .found(let handler, _) = match(request) else { return refuse(Failure.bodyTooLarge, request, nil) }
        return refuse(Failure.bodyTooLarge, request, handler)
    }

    private func match(_ request: Request) -> Router.Match {
        router.match(request.method, request.path, hasBearer: request.bearerToken != nil)
    }

    private func context(_ handler: Handler, _ request: Request, _ parameters: PathParameters) throws(Failure) -> Context {
        let project = try Access.check(handler.route, request, services.projects)
        if let coding = request.headers["content-encoding"], coding.asciiLowercased != "identity" { throw .encodedBody }
        return Context(services: services, request: request, parameters: parameters, access: handler.route.access, project: project)
    }

    /// - Parameters:
    ///   - handler: `nil` for paths that no endpoint answers.
    ///   - projects: as they were when the request arrived; `nil` for those of now.
    private func refuse(
        _ error: any Error, _ request: Request, _ handler: Handler?, in errorFormat: ErrorFormat = .googleJSON, at projects: Projects? = nil
    ) -> Response {
        let (error, page) = PageError.unwrap(error)
        let failure = Failure(describing: error)
        let route = handler?.route.path ?? "*"
        if failure.kind == .internal || failure.kind == .unavailable {
            LogDetail.record(error, of: request, at: route, to: services.log)
        } else if let detail = LogDetail.ofProvider(error) {
            let metadata: Logger.Metadata = [
                "id": "\(request.id)", "route": "\(route)", "code": "\(failure.code)", "reason": "\(detail)",
            ]
            services.log.notice("provider refused", metadata: metadata.merging(LogDetail.place(of: error)) { $1 })
        }
        return finish(FailureResponse.make(failure, in: handler?.errorFormat ?? errorFormat, request, page), request, handler, projects)
    }

    /// Adds CORS headers to what the API answers, its errors and its 404 included; never to metrics, health or pages. The endpoints of relying
    /// parties have them for the pages of registered clients alone.
    private func finish(_ response: Response, _ request: Request, _ handler: Handler?, _ projects: Projects? = nil) -> Response {
        var response = response
        response.route = handler?.route.path ?? "*"
        switch handler?.route.access {
        case .anyone: break
        case .relyingParty:
            CrossOrigin.allow(request, on: &response, from: (projects ?? services.projects.current).browserOrigins)
        case .apiKey, .administrator, .development, nil: CrossOrigin.allow(request, on: &response)
        }
        return response
    }
}
