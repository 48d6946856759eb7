import Accounts
import HTTP
import Providers
import Web

/// `GET /__/auth/handler`: the provider sends the browser back here, with `state` and its answer; or our own redirect does after a
/// form_post, with `resume`.
struct Callback: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler", access: .anyone)
    static let tongue = Tongue.page

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        if let resume = query["resume"] { return try await Self.resume(resume, request, context) }
        let state = try Self.state(in: query)
        guard let flow = try await context.services.flows.waiting(state) else { throw AccountError.flowRefused }
        return try await Self.finish(flow, answer: query, request, context)
    }

    /// The one `state`; an answer that names anything twice is refused before it is looked at.
    static func state(in answer: Form) throws -> FlowState {
        try answer.once(["state", "code", "iss", "error", "id_token"])
        guard let state = answer["state"].flatMap(FlowState.init) else { throw AccountError.flowRefused }
        return state
    }

    /// An answer at another provider's address is not this flow's, and must not use it up.
    static func checkAddress(_ context: Context, _ flow: SignInFlow) throws {
        guard let provider = context.parameters["provider"], provider != flow.providerID else { return }
        throw Failure.invalidIDPResponse("The answer came by the address of another provider.")
    }

    private static func resume(_ text: String, _ request: Request, _ context: Context) async throws -> Response {
        guard let reference = FlowReference(text),
            let cookie = FlowCookie.value(for: reference.flowID, in: request, context.services.site)
        else { throw AccountError.flowRefused }
        let (flow, form) = try await context.services.flows.posted(
            flowID: reference.flowID, projectID: reference.projectID, cookie: cookie)
        return try await finish(flow, answer: try Form.reading(form), request, context)
    }

    /// The order matters: the browser proves itself before anything of the flow changes, so that nobody else can use a `state` up.
    private static func finish(_ flow: SignInFlow, answer: Form, _ request: Request, _ context: Context) async throws -> Response {
        try checkAddress(context, flow)
        guard flow.kind == .web, let returnURL = flow.returnURL else {
            return Page.message(status: 200, title: "Almost there", text: "You can go back to the app now; it finishes the sign-in.")
        }
        let services = context.services
        guard let cookie = FlowCookie.value(for: flow.id, in: request, services.site) else { throw AccountError.flowRefused }
        guard let project = services.projects.current.project(id: flow.projectID) else { throw AccountError.flowRefused }
        try await context.provider(flow.providerID, of: project).checkCallback(issuer: answer["iss"])
        let back = ReturnAddress(
            url: returnURL, appState: flow.appState, issuer: project.settings.issuer(publicURL: services.site.publicURL))
        var response: Response
        if let error = answer["error"] {
            try await services.flows.abandon(flow, cookie: cookie)
            services.signIns.count(flow.providerID, .refused)
            let failure = Failure(telling: ProviderError.callback(error, description: answer["error_description"]))
            response = back.redirect([("error", failure.oauthError), ("error_description", failure.message)])
        } else {
            guard answer["code"] != nil || answer["id_token"] != nil else { throw Failure.invalidIDPResponse("The answer has no code.") }
            let code = try await services.flows.complete(flow, cookie: cookie, response: Array(answer.encoded().utf8))
            response = back.redirect([("code", code), ("flow", FlowID(bytes: flow.id).text)])
        }
        response.headers.add("set-cookie", FlowCookie.clear(flow.id, services.site))
        return response
    }
}

/// The same, at the address of one provider: operators may register it to keep providers apart (mix-up).
struct ProviderCallback: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler/{provider}", access: .anyone)
    static let tongue = Tongue.page

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response { try await Callback()(request, context) }
}
