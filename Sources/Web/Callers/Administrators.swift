package import Accounts
package import HTTP
import JSON
import Projects
import Text

/// One JSON call of administrators: its route, its input and its output.
///
/// A request goes from `App` to `Router.match`, to the caller's proof (`Context.administrator`), to the endpoint's `Input` (the body, or the
/// query of a GET), and to the endpoint, which gets the `Administrator` that the rules of `Accounts` ask for. The project is the path's, and so is the
/// tenant of one; at a path that the call shares with a client call, it is the one that `targetProjectId` names, or else the service account's own.
package protocol AdministratorEndpoint: Sendable {
    associatedtype Input: Decodable & Sendable
    associatedtype Output: Codable & Sendable
    static var route: Route { get }
    init()
    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output
}

extension AdministratorEndpoint {
    package static var handler: Handler {
        Handler(
            route: route, errorFormat: .googleJSON, named: Handler.name(of: Self.self), content: { try .of(Input.self, Output.self, route) }
        ) { request, context in
            try await context.administered(request, by: route) { body, administrator, context in
                let output = try await Self()(try JSONBody.decode(Input.self, from: body), by: administrator, context)
                return Response(json: try JSON(encoding: output).bytes())
            }
        }
    }
}

/// The same for a call that writes its answer itself, as one that lists a thousand accounts does.
package protocol RawAdministratorEndpoint: Sendable {
    associatedtype Input: Decodable & Sendable
    static var route: Route { get }
    /// Its answers, for the description of the API.
    static var answers: [CallContent.Answer] { get throws }
    init()
    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Response
}

extension RawAdministratorEndpoint {
    package static var handler: Handler {
        Handler(
            route: route, errorFormat: .googleJSON, named: Handler.name(of: Self.self),
            content: { try .reading(Input.self, route, answers: answers) }
        ) { request, context in
            try await context.administered(request, by: route) { body, administrator, context in
                try await Self()(try JSONBody.decode(Input.self, from: body), by: administrator, context)
            }
        }
    }
}

extension Context {
    /// Answers a call of an administrator, whose proof is checked before anything of the input is decoded.
    fileprivate func administered(
        _ request: Request, by route: Route,
        _ answer: (JSON.Object, Administrator, Context) async throws -> Response
    ) async throws -> Response {
        guard case .administrator(let right) = route.access else { throw Failure.notFound }
        // Before the body is parsed: a caller without a token of ours cannot make the server parse a large one.
        let bearer = try bearer()
        let body = request.method == .get ? try JSONBody.object(ofQuery: request) : try JSONBody.administratorObject(of: request)
        let project = try administeredProject(of: bearer, target: try JSONBody.target(of: body))
        let context = try await with(project).inRealm(of: body)
        let administrator = try await administrator(bearer, for: right, in: context.project)
        return try await answer(body, administrator, context)
    }

    private func bearer() throws(Failure) -> Bearer {
        guard let text = request.bearerToken else { throw .bearerRequired }
        if isOwner(text) { return .owner }
        guard let token = services.accounts.administration.accessTokens.token(text) else { throw .unknownBearer }
        return .serviceAccount(token)
    }

    /// The project that the path names, or else `target`, or else the bearer's own.
    ///
    /// Throws what a foreign project throws for one that is not configured, so that no caller learns which projects there are.
    private func administeredProject(of bearer: Bearer, target: UTF8Text?) throws(Failure) -> Project {
        let named = parameters["project"] ?? target
        if let named, let target, named != target { throw .invalidArgument("targetProjectId is not the project of the path.") }
        switch bearer {
        case .owner: return try ownedProject(named: named)
        case .serviceAccount(let token):
            let account = token.serviceAccount
            guard named.map({ $0 == UTF8Text(account.projectID) }) ?? true,
                let project = services.projects.current.project(id: account.projectID)
            else { throw .otherProject(account.text) }
            return project
        }
    }

    private func administrator(
        _ bearer: Bearer, for right: Administrator.Right, in project: Project
    ) async throws -> Administrator {
        switch bearer {
        case .owner: try owner(of: project)
        case .serviceAccount(let token):
            try await services.accounts.administration.accessTokens.administrator(
                bearing: token, for: right, in: project.settings, from: clientInfo)
        }
    }
}

/// The caller that a bearer token stands for.
private enum Bearer {
    /// A program of this machine, in development mode.
    case owner
    /// A service account; whether its key is live is not known yet.
    case serviceAccount(AdministratorToken)
}
