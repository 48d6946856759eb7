import Accounts
import Brokerage
import HTTP
import JSON
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `GET /__/auth/handler`: one address for three visits. With `apiKey` an SDK starts a flow; with `state` the provider answers; with
/// `resume` our own redirect comes back for an answer that was posted.
struct HandlerPage: RawEndpoint {
    static let route = Route(.get, "/__/auth/handler", aliases: ["/emulator/auth/handler"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: HandlerParameters.names + Callback.names, answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try FetchDestination.document.check(request)
        let query = try Form.reading(request.query)
        return query["apiKey"] == nil ? try await Callback.answer(query, request, context) : try await start(query, request, context)
    }

    private func start(_ query: Form, _ request: Request, _ context: Context) async throws -> Response {
        guard query["state"] == nil, query["resume"] == nil else {
            throw Failure.invalidAddress("The address has both the parameters of a start (apiKey) and of an answer (state or resume).")
        }
        guard let project = context.services.projects.project(apiKey: query["apiKey"] ?? "", for: request) else {
            throw Failure.linkWithoutAPIKey
        }
        if let home = CanonicalHost.redirect(request, query, project, context.services.site) { return home }
        return try await Optional(project).showingErrors(in: query["hl"]?.asString, backTo: WayBack.ofStart(query, project)) {
            try await start(query, context.realm(of: project, query), request, context)
        }
    }

    private func start(_ query: Form, _ project: Project, _ request: Request, _ context: Context) async throws -> Response {
        if query["authType"] == "verifyApp" {
            let verify = try VerifyApp(query, project)
            try await context.broker(of: project).charge(.startSignIn, from: context.clientInfo)
            return verify.page(request)
        }
        let parameters = try HandlerParameters(query, project)
        try await context.broker(of: project).charge(.startSignIn, from: context.clientInfo)
        do {
            return try await parameters.begin(project, request, context)
        } catch {
            // From here on it is certain which app it is, so the app is told. What it is told is kept in the database; while that does not
            // answer, the browser gets an error page instead.
            if Failure(describing: error).kind == .unavailable { throw error }
            let failure = try context.failure(ofStart: error, at: UTF8Text(parameters.providerID), of: project)
            return try await parameters.end(with: failure, project, context)
        }
    }
}

extension HandlerParameters {
    /// Stores the flow, binds it to the browser, and redirects to the provider.
    fileprivate func begin(_ project: Project, _ request: Request, _ context: Context) async throws -> Response {
        let broker = context.broker(of: project)
        let provider = try broker.provider(UTF8Text(providerID))
        let start = start(project, provider, customParameters: provider.permitted(customParameters), context)
        let begun = try await broker.begin(start, at: provider, scopes: scopes)
        var response = kind == .popup ? popup(to: begun.url, begun.started, project, request) : RedirectResponse.to(begun.url, status: 302)
        response.setCookies(FlowCookie.set(for: begun.started, request, context.services.site))
        return response
    }

    /// Reports a failed start to the app as an event of its SDK. Throws `failure`, which becomes a page, when no SDK waits for an event.
    fileprivate func end(with failure: Failure, _ project: Project, _ context: Context) async throws -> Response {
        let broker = context.broker(of: project)
        let start = start(project, nil, customParameters: [:], context)
        let failed = broker.failed(start)
        guard let cookie = failed.cookie, let resultPage = ResultPage(failed.flow, cookie: cookie, project, context) else {
            throw failure
        }
        let outcome = ResultPage.Outcome.failure(code: failure.sdkCode, message: failure.message)
        try await broker.record(failed, of: start, event: resultPage.event(outcome))
        return resultPage.response(outcome)
    }

    private func start(
        _ project: Project, _ provider: ProviderSettings?, customParameters: [UTF8Text: UTF8Text], _ context: Context
    ) -> SignInStart {
        SignInStart(
            providerID: providerID, kind: kind, sessionHash: sessionID.map(SessionBinding.hash(atStart:)),
            redirectURI: project.handlerURL(of: provider, for: context.request, of: context.services.site), returnURL: page?.description,
            sdkRequest: sdkRequest,
            customParameters: customParameters)
    }

    /// Answers a page and not a redirect. Until it goes to the provider, the window can talk to the page that opened it: it tells the SDK's
    /// iframe there how to ask for the result, in case the window loses that connection.
    private func popup(to url: String, _ started: StartedFlow, _ project: Project, _ request: Request) -> Response {
        let relay = project.settings.redirect.relay ? started.ticket?.text : nil
        return project.handlerPage(
            [
                "step": "popup-start", "authUri": .string(url), "origin": .string(page?.origin ?? ""),
                "storageKey": .string(AuthEvent.storageKey(sdkRequest)), "relay": relay.map { .string($0) } ?? .null,
            ], language: sdkRequest.language, request)
    }
}
