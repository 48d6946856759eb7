import Accounts
import Brokerage
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// Handles the provider's answer, with `state`, or our own redirect after a form_post, with `resume`.
///
/// `Brokerage` checks and records the answer. Here are the browser's side of it (which cookie, which page) and the forms of the result.
enum Callback {
    /// The parameters of an answer of each protocol. Providers send others besides, of which some are read.
    static let names = ["state", "code", "iss", "error", "id_token", "oauth_token", "oauth_verifier", "denied", "resume"]

    static func answer(_ query: Form, _ request: Request, _ context: Context) async throws -> Response {
        if let resume = query["resume"] { return try await Self.resume(resume, request, context) }
        let answer = try ProviderAnswer(query)
        if answer.isUnnamedRefusal { return try await refuse(answer, request, context) }
        return try await context.services.projects.current.realm(storageID: try answer.state.projectID).showingErrors {
            guard let flow = try await context.services.brokerage.flow(waitingFor: answer) else { return try await leave(answer, context) }
            return try await finish(flow, answer, request, context)
        }
    }

    /// A refusal without `state` belongs to the browser's one running flow, if the provider of that flow answers at this address.
    /// Otherwise a page shows what the provider said.
    private static func refuse(_ answer: ProviderAnswer, _ request: Request, _ context: Context) async throws -> Response {
        let services = context.services
        guard answer.form["code"] == nil, let (id, cookie) = FlowCookie.only(in: request, services.site),
            let flow = try await services.brokerage.flow(id, startedWith: cookie),
            (try? answer.checkAddress(context.parameters["provider"], of: flow)) != nil
        else {
            // Any client can send such an answer, so the page tells what it says and the log does not.
            throw Failure(describing: answer.refusalWithoutFlow)
        }
        return try await finish(flow, answer, request, context)
    }

    /// Sends a browser to the app's page when it brings an answer a second time. Mostly the person went back after the sign-in had ended.
    static func leave(_ answer: ProviderAnswer, _ context: Context) async throws -> Response {
        guard let project = context.services.projects.current.realm(storageID: try answer.state.projectID),
            let flow = try await context.services.brokerage.flow(answeredBefore: answer), let page = WayBack.of(flow, project)
        else { throw BrokerageError.unknownFlow }
        return RedirectResponse.to(page, status: 303)
    }

    private static func resume(_ text: UTF8Text, _ request: Request, _ context: Context) async throws -> Response {
        guard let ticket = ResumeTicket(text), let cookie = FlowCookie.value(for: ticket.flowID, in: request, context.services.site)
        else { throw BrokerageError.unknownFlow }
        return try await context.services.projects.current.realm(storageID: ticket.projectID).showingErrors {
            let (flow, answer) = try await context.services.brokerage.posted(ticket, cookie: cookie)
            return try await finish(flow, answer, request, context)
        }
    }

    private static func finish(
        _ flow: SignInFlow, _ answer: ProviderAnswer, _ request: Request, _ context: Context
    ) async throws -> Response {
        let project = context.services.projects.current.realm(storageID: flow.projectID)
        return try await project.showingErrors(in: flow.sdkRequest?.language, backTo: project.flatMap { WayBack.of(flow, $0) }) {
            try await finish(flow, answer, of: project, request, context)
        }
    }

    /// The order matters: the browser proves itself before anything of the flow changes, so that no other can use a `state` up.
    private static func finish(
        _ flow: SignInFlow, _ answer: ProviderAnswer, of project: Project?, _ request: Request, _ context: Context
    ) async throws -> Response {
        try answer.checkAddress(context.parameters["provider"], of: flow)
        guard let project else { throw BrokerageError.unknownFlow }
        // The client that started it reads the answer from its browser's address.
        guard flow.kind.belongsToBrowser else { return project.appPage(.done, request) }
        let site = context.services.site
        guard let cookie = FlowCookie.value(for: flow.id, in: request, site) else { throw BrokerageError.unknownFlow }
        let broker = context.broker(of: project)
        let returned = try await broker.receive(answer, for: flow, cookie: cookie)
        var response: Response
        if let resultPage = ResultPage(flow, cookie: cookie, project, context) {
            let outcome = ResultPage.Outcome(returned.outcome)
            try await broker.record(returned, event: resultPage.event(outcome))
            response = resultPage.response(outcome)
        } else {
            guard let page = ReturnAddress(flow, project, site) else { throw BrokerageError.unknownFlow }
            try await broker.record(returned)
            response = page.redirect(returned)
        }
        response.setCookie(FlowCookie.cookie(flow.id, site).clear())
        return response
    }
}

/// `GET /__/auth/handler/{provider}`: the address for the answers of one provider, which operators may register to keep providers apart
/// (mix-up).
struct ProviderCallback: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler/{provider}", aliases: ["/emulator/auth/handler/{provider}"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: Callback.names, answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try FetchDestination.document.check(request)
        return try await Callback.answer(try Form.reading(request.query), request, context)
    }
}
