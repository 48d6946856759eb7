import Accounts
import HTTP
import JSON
import Logging
import Providers
import Text
import Web

/// `GET /__/auth/handler`: one address for three visits. With `apiKey` an SDK starts a flow; with `state` the provider answers; with `resume`
/// our own redirect comes back for an answer that was posted.
struct HandlerVisit: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler", aliases: ["/emulator/auth/handler"], access: .anyone)
    static let tongue = Tongue.page

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try Destination.document.check(request)
        let query = try Form.reading(request.query)
        return query["apiKey"] == nil ? try await Callback.answer(query, request, context) : try await start(query, request, context)
    }

    private func start(_ query: Form, _ request: Request, _ context: Context) async throws -> Response {
        guard query["state"] == nil, query["resume"] == nil else {
            throw Failure("INVALID_ARGUMENT", "The address is both a start and an answer.")
        }
        guard let project = context.services.projects.current.project(apiKey: query["apiKey"] ?? "", for: request) else {
            throw Failure("INVALID_API_KEY", "The link that brought you here has no valid API key.")
        }
        if let home = HomeHost.redirect(request, query, project, context.services.site) { return home }
        return try await Optional(project).telling(in: query["hl"]?.asString, backTo: WayBack.ofStart(query, project)) {
            try await start(query, project, request, context)
        }
    }

    private func start(_ query: Form, _ project: Project, _ request: Request, _ context: Context) async throws -> Response {
        let start = try HandlerStart(query, project)
        try await context.limit(.startSignIn, of: project)
        do {
            return try await start.begin(project, request, context)
        } catch {
            // The app learns of it, too: whom to tell is certain by now.
            let failure = Failure(telling: error)
            if case AccountError.database = error { throw error }
            if case ProviderError.unavailable = error { context.services.signIns.count(start.providerID, .providerUnavailable) }
            context.log.notice("sign-in not started", metadata: ["provider": "\(start.providerID)", "reason": "\(LogDetail.of(error))"])
            return try await start.end(with: failure, project, context)
        }
    }
}

extension HandlerStart {
    /// Stores the flow, binds it to the browser, and goes to the provider.
    fileprivate func begin(_ project: Project, _ request: Request, _ context: Context) async throws -> Response {
        let services = context.services
        let provider = try context.provider(UTF8Text(providerID), of: project)
        let start = start(project, provider, customParameters: provider.permitted(customParameters), context)
        let started = services.flows.prepare(start, in: project.settings)
        let url = try await provider.authorize(
            redirectURI: start.redirectURI, state: started.state, nonce: started.flow.secrets.nonce,
            codeChallenge: started.codeChallenge, customParameters: start.customParameters, scopes: scopes)
        try await services.flows.store(started, start)
        var response = kind == .popup ? popup(to: url, started, project, request) : Redirect.to(url, status: 302)
        for cookie in FlowCookie.set(for: started, request, services.site) { response.headers.add("set-cookie", cookie) }
        return response
    }

    /// Ends before it began, in the app's hands. What failed is told by a page where nobody can be told it for want of a place to keep it.
    fileprivate func end(with failure: Failure, _ project: Project, _ context: Context) async throws -> Response {
        let services = context.services
        let start = start(project, nil, customParameters: [:], context)
        let started = services.flows.prepare(start, in: project.settings)
        guard let cookie = started.cookie, let delivery = Delivery(started.flow, cookie: cookie, project, context) else {
            throw failure
        }
        let outcome = Delivery.Outcome.failure(code: failure.sdkCode, message: failure.message)
        try await services.flows.store(started, start)
        try await services.flows.abandon(started.flow, cookie: cookie, event: delivery.event(outcome))
        return delivery.response(outcome)
    }

    private func start(
        _ project: Project, _ provider: ConfiguredProvider?, customParameters: [UTF8Text: UTF8Text], _ context: Context
    ) -> SignInFlows.Start {
        SignInFlows.Start(
            providerID: providerID, kind: kind, sessionHash: sessionID.map(SessionBinding.hash(atStart:)),
            redirectURI: project.handlerURL(of: provider?.settings, for: context.request, of: context.services.site), returnURL: page?.url,
            handoff: handoff,
            customParameters: customParameters)
    }

    /// Not a redirect: the window has its opener until it leaves, and the SDK's iframe there must learn where to ask should it lose it.
    private func popup(to url: String, _ started: StartedFlow, _ project: Project, _ request: Request) -> Response {
        let relay = project.settings.redirect.relay ? started.ticket?.text : nil
        return project.handlerPage(
            [
                "step": "popup-start", "authUri": .string(url), "origin": .string(page?.origin ?? ""),
                "storageKey": .string(AuthEvent.storageKey(handoff)), "relay": relay.map { .string($0) } ?? .null,
            ], language: handoff.language, request)
    }
}

extension Failure {
    /// The nearest code that the JS SDK has a text for.
    var sdkCode: String {
        switch kind {
        case .unavailable: "auth/network-request-failed"
        case .internal: "auth/internal-error"
        case .badRequest: "auth/argument-error"
        default:
            switch code {
            case Failure.providerUnavailable.code: "auth/network-request-failed"
            case "USER_CANCELLED": "auth/user-cancelled"
            case "OPERATION_NOT_ALLOWED": "auth/operation-not-allowed"
            case "INVALID_PROVIDER_ID": "auth/invalid-oauth-provider"
            default: "auth/invalid-credential"
            }
        }
    }
}
