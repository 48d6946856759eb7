import Accounts
import HTTP
import Providers
import Text
import Web

/// The provider's answer, with `state`; or our own redirect after a form_post, with `resume`.
enum Callback {
    static func answer(_ query: Form, _ request: Request, _ context: Context) async throws -> Response {
        if let resume = query["resume"] { return try await Self.resume(resume, request, context) }
        if Self.isUnnamedRefusal(query) { return try await refuse(query, request, context) }
        let state = try Self.state(in: query)
        return try await context.services.projects.current.project(id: state.projectID).telling {
            guard let flow = try await context.services.flows.waiting(state) else { return try await leave(state, context) }
            return try await Self.finish(flow, answer: query, request, context)
        }
    }

    /// An error without `state`, which some providers send, though the standard has them repeat it.
    /// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1>
    static func isUnnamedRefusal(_ answer: Form) -> Bool { (answer["state"] ?? "").isEmpty && !(answer["error"] ?? "").isEmpty }

    /// The refusal belongs to the one flow that the browser has under way, if it has one and the provider of that flow answers at this
    /// address. Otherwise a page says what the provider said.
    private static func refuse(_ answer: Form, _ request: Request, _ context: Context) async throws -> Response {
        try answer.once(answer.fields.map(\.name))
        let projects = context.services.projects.current
        guard answer["code"] == nil, let (id, cookie) = FlowCookie.only(in: request, context.services.site),
            let flow = try await context.services.flows.waiting(flowID: id, cookie: cookie, of: projects.all.map(\.settings.id)),
            (try? checkAddress(context, flow)) != nil
        else { throw ProviderError.callback(answer["error"] ?? "", description: nil) }
        return try await finish(flow, answer: answer, request, context)
    }

    /// Sends a browser on that comes with an answer a second time: by "Back", most of the time, after the sign-in had ended.
    static func leave(_ state: FlowState, _ context: Context) async throws -> Response {
        guard let project = context.services.projects.current.project(id: state.projectID),
            let flow = try await context.services.flows.answered(state), let page = WayBack.of(flow, project)
        else { throw AccountError.flowRefused }
        return Redirect.to(page, status: 303)
    }

    /// The one `state`; an answer that names anything twice is refused before it is looked at.
    static func state(in answer: Form) throws -> FlowState {
        try answer.once(["state", "code", "iss", "error", "id_token"])
        guard let state = answer["state"].flatMap(FlowState.init) else { throw AccountError.flowRefused }
        return state
    }

    /// An answer at another provider's address is not this flow's, and must not use it up; nor is one that came by the common address when
    /// the provider was told to use its own.
    static func checkAddress(_ context: Context, _ flow: SignInFlow) throws {
        let isOwn = flow.redirectURI.hasSuffix("/handler/" + flow.providerID)
        let provider = context.parameters["provider"]
        guard provider == UTF8Text(flow.providerID) || provider == nil && !isOwn else {
            throw Failure.invalidIDPResponse("The answer came by the address of another provider.")
        }
    }

    private static func resume(_ text: UTF8Text, _ request: Request, _ context: Context) async throws -> Response {
        guard let reference = FlowReference(text),
            let cookie = FlowCookie.value(for: reference.flowID, in: request, context.services.site)
        else { throw AccountError.flowRefused }
        return try await context.services.projects.current.project(id: reference.projectID).telling {
            let (flow, form) = try await context.services.flows.posted(
                flowID: reference.flowID, projectID: reference.projectID, cookie: cookie)
            return try await finish(flow, answer: try Form.reading(form), request, context)
        }
    }

    /// The order matters: the browser proves itself before anything of the flow changes, so that nobody else can use a `state` up.
    private static func finish(_ flow: SignInFlow, answer: Form, _ request: Request, _ context: Context) async throws -> Response {
        let project = context.services.projects.current.project(id: flow.projectID)
        return try await project.telling(in: flow.handoff?.language, backTo: project.flatMap { WayBack.of(flow, $0) }) {
            try await finish(flow, answer: answer, of: project, request, context)
        }
    }

    private static func finish(
        _ flow: SignInFlow, answer: Form, of project: Project?, _ request: Request, _ context: Context
    ) async throws -> Response {
        try checkAddress(context, flow)
        let services = context.services
        guard let project else { throw AccountError.flowRefused }
        // The client that started it reads the answer off its browser's address.
        guard flow.kind.belongsToBrowser else { return project.appPage(.done, request) }
        guard let cookie = FlowCookie.value(for: flow.id, in: request, services.site) else { throw AccountError.flowRefused }
        let isUnnamed = isUnnamedRefusal(answer)
        if !isUnnamed || answer["iss"] != nil {
            try await context.provider(UTF8Text(flow.providerID), of: project).checkCallback(issuer: answer["iss"])
        }
        guard answer["error"] != nil || answer["code"] != nil || answer["id_token"] != nil else {
            throw Failure.invalidIDPResponse("The answer has no code.")
        }
        var response =
            if let delivery = Delivery(flow, cookie: cookie, project, context) {
                try await deliver(delivery, flow, answer, context)
            } else {
                try await sendBack(flow, cookie, answer, project, context)
            }
        response.headers.add("set-cookie", FlowCookie.clear(flow.id, services.site))
        return response
    }

    /// To an SDK.
    private static func deliver(_ delivery: Delivery, _ flow: SignInFlow, _ answer: Form, _ context: Context) async throws -> Response {
        let flows = context.services.flows
        // Nobody fetches what is handed to a native app.
        let isFetched = flow.kind == .popup || flow.kind == .redirect
        if let error = refusal(answer) {
            let failure = Failure(telling: error)
            context.services.signIns.count(flow.providerID, endedBy: error)
            let outcome = Delivery.Outcome.failure(code: failure.sdkCode, message: failure.detail ?? failure.code)
            try await flows.abandon(flow, cookie: delivery.cookie, event: isFetched ? delivery.event(outcome) : nil)
            return delivery.response(outcome)
        }
        let code = try await flows.complete(
            flow, cookie: delivery.cookie, response: Array(answer.encoded().utf8),
            event: isFetched ? { delivery.event(.success(code: $0)) } : nil)
        return delivery.response(.success(code: code))
    }

    /// To the page of a plain browser app.
    private static func sendBack(
        _ flow: SignInFlow, _ cookie: String, _ answer: Form, _ project: Project, _ context: Context
    ) async throws -> Response {
        guard let returnURL = flow.returnURL else { throw AccountError.flowRefused }
        let services = context.services
        let back = ReturnAddress(
            url: returnURL, appState: flow.appState, issuer: project.settings.issuer(publicURL: services.site.publicURL))
        if let error = refusal(answer) {
            let failure = Failure(telling: error)
            try await services.flows.abandon(flow, cookie: cookie)
            services.signIns.count(flow.providerID, endedBy: error)
            return back.redirect([("error", failure.oauthError), ("error_description", failure.message)])
        }
        let code = try await services.flows.complete(flow, cookie: cookie, response: Array(answer.encoded().utf8))
        return back.redirect([("code", code), ("flow", FlowID(bytes: flow.id).text)])
    }

    /// What the provider's `error` means, when there is one.
    private static func refusal(_ answer: Form) -> ProviderError? {
        answer["error"].map { ProviderError.callback($0, description: answer["error_description"]) }
    }
}

/// `GET /__/auth/handler/{provider}`: answers by the address of one provider; operators may register it to keep providers apart (mix-up).
struct ProviderCallback: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler/{provider}", aliases: ["/emulator/auth/handler/{provider}"], access: .anyone)
    static let tongue = Tongue.page

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try Destination.document.check(request)
        return try await Callback.answer(try Form.reading(request.query), request, context)
    }
}
