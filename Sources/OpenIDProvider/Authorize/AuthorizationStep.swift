import Accounts
import HTTP
import Logging
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// One look at a request: whether the browser's session can answer it, and what the browser gets. A request comes here when it arrives, and again
/// each time a hosted page has done its part.
struct AuthorizationStep {
    let address: IssuerAddress
    let request: Request
    let context: Context

    private var accounts: Accounts { context.services.accounts }
    private var settings: ProjectSettings { address.project.settings }
    private var site: Site { context.services.site }

    /// Grants the request, refuses it, or sends the browser to a hosted page.
    ///
    /// - Parameter authorization: the request as it waits; `nil` for one that has just arrived.
    func answer(_ asked: AuthorizationRequest, of client: OAuthClient, authorization: PendingAuthorization?) async throws -> Response {
        try await refusing(asked, authorization) {
            // A reload may have taken away all that the client asked for.
            guard !asked.scopes.isEmpty || asked.isOfApp(in: settings) || asked.isOfAccountPage(in: settings) else {
                throw Failure.invalidScope
            }
            for _ in 1..<Self.looks {
                // The session ended, or the account changed, between the look and the grant: the next look sees it.
                do { return try await look(asked, of: client, authorization: authorization) } catch AccountError.conflict { continue }
            }
            return try await look(asked, of: client, authorization: authorization)
        }
    }

    private static let looks = 3

    private func look(_ asked: AuthorizationRequest, of client: OAuthClient, authorization: PendingAuthorization?) async throws -> Response
    {
        let session = try await session()
        guard let interaction = try await interaction(asked, of: client, session, authorization) else {
            guard let session else { throw Failure.loginRequired }
            if asked.isOfAccountPage(in: settings) { return try await goBack(to: asked.redirectURI, authorization) }
            let code = try await accounts.openID.requests.grant(
                asked, authorization: authorization, to: session, scopes: asked.scopes, in: settings)
            let reply = AuthorizationReply(asked)
            let answer =
                asked.isOfApp(in: settings)
                ? AuthorizationResponse(token: AppToken(code: code), reply) : AuthorizationResponse(code: code, reply)
            return finish(answer, asked, authorization)
        }
        if let failure = interaction.failure(of: asked) { return try await refuse(failure, asked, authorization) }
        return try await send(to: authorization, or: asked)
    }

    /// Sends the browser back to a page of this server, which needs its session alone.
    private func goBack(to page: String, _ authorization: PendingAuthorization?) async throws -> Response {
        var response = RedirectResponse.to(page, status: request.method == .post ? 303 : 302)
        if let authorization {
            try await accounts.openID.requests.end(authorization, in: settings)
            response.setCookie(IssuerCookies.requests(site).cookie(authorization.id.text).clear())
        }
        return response
    }

    /// Lets `work` answer a request whose relying party is known. The relying party is told of every error.
    func refusing(
        _ asked: AuthorizationRequest, _ authorization: PendingAuthorization? = nil, _ work: () async throws -> Response
    ) async throws -> Response {
        do { return try await work() } catch { return respond(to: error, asked, authorization) }
    }

    /// The browser's session, if the browser has one.
    func session() async throws -> BrowserSession? {
        guard let cookie = IssuerCookies.session(of: settings, site).value(in: request) else { return nil }
        return try await accounts.openID.browserSessions.find(cookie, in: settings)
    }

    /// The step that the person must take next; `nil` when the request can be granted.
    func interaction(
        _ asked: AuthorizationRequest, of client: OAuthClient, _ session: BrowserSession?, _ authorization: PendingAuthorization?
    ) async throws -> Interaction? {
        var isAllowed = true
        if client.asksConsent, let session {
            isAllowed = try await accounts.openID.requests.hasConsent(
                to: asked.scopes, of: client.id, by: session.account.id, in: settings)
        }
        return Interaction.needed(
            Interaction.Situation(
                asked, of: client, userFlow: address.userFlow, session: session,
                due: session.flatMap { SignInStep.due(after: $0.authentication) }, enrolment: enrolment(session),
                authorization: authorization,
                isAccountAsked: isAccountAsked(asked, session), isAllowed: isAllowed, at: context.services.clock.now()))
    }

    private func enrolment(_ session: BrowserSession?) -> Interaction.Enrolment? {
        guard let session, session.lacksSecondFactor(in: settings) else { return nil }
        return session.isFresh(in: settings, at: context.services.clock.now()) ? .possible : .afterSignIn
    }

    private func isAccountAsked(_ asked: AuthorizationRequest, _ session: BrowserSession?) -> Bool {
        guard let subject = asked.subject, let account = session?.account else { return true }
        return subject.isExactly(address.userFlow == nil ? account.id : account.objectID(in: settings))
    }

    /// Keeps the request, unless it is kept already, and sends the browser to the hosted page.
    private func send(to authorization: PendingAuthorization?, or asked: AuthorizationRequest) async throws -> Response {
        let status = request.method == .post ? 303 : 302
        if let authorization {
            return RedirectResponse.to(IssuerPaths.signIn(settings.addressName, request: authorization.id.text), status: status)
        }
        return try await keep(asked) { IssuerPaths.signIn(settings.addressName, request: $0) }
    }

    /// Keeps a request, binds it to the browser, and redirects there.
    ///
    /// - Parameter path: the address to go on at, by the request's id.
    func keep(_ asked: AuthorizationRequest, goingOnAt path: (String) -> String) async throws -> Response {
        let (authorization, cookie) = try await accounts.openID.requests.store(asked, in: settings, from: context.browserClientInfo)
        var response = RedirectResponse.to(path(authorization.id.text), status: request.method == .post ? 303 : 302)
        response.setCookies(
            IssuerCookies.requests(site).set(authorization.id.text, cookie, for: AuthorizationRequests.timeToSignIn, in: request))
        return response
    }

    /// Refuses a request whose relying party is known, for good: the person cancelled, or a page would be needed and must not be shown.
    func refuse(_ failure: Failure, _ asked: AuthorizationRequest, _ authorization: PendingAuthorization?) async throws -> Response {
        if let authorization { try await accounts.openID.requests.end(authorization, in: settings) }
        return respond(with: failure, asked, authorization)
    }

    /// Tells the relying party of a fault, a limit or a rule. Unless it is an error of OAuth, the request stays as it is, so that the person can
    /// try again.
    private func respond(to error: any Error, _ asked: AuthorizationRequest, _ authorization: PendingAuthorization?) -> Response {
        let failure = Failure(describing: error)
        if failure.isOfOAuth { return respond(with: failure, asked, authorization) }
        let metadata: Logger.Metadata = ["project": "\(settings.id)", "error": "\(LogDetail.of(error))"]
        switch failure.kind {
        case .internal:
            context.log.error("authorization failed", metadata: metadata)
            return respond(with: .serverError, asked, nil)
        case .unavailable:
            context.log.log(level: LogDetail.level(of: error), "authorization not possible", metadata: metadata)
            return respond(with: .temporarilyUnavailable, asked, nil)
        default: return respond(with: failure.isTemporary ? .tooManyRequests : failure, asked, nil)
        }
    }

    private func respond(with failure: Failure, _ asked: AuthorizationRequest, _ authorization: PendingAuthorization?) -> Response {
        let described = failure.described(by: address.userFlow, request.id, at: context.services.clock.now())
        return finish(AuthorizationResponse(described, AuthorizationReply(asked)), asked, authorization)
    }

    private func finish(_ answer: AuthorizationResponse, _ asked: AuthorizationRequest, _ authorization: PendingAuthorization?) -> Response
    {
        var response = answer.response(to: request, of: address.project, language: asked.language)
        if let authorization { response.setCookie(IssuerCookies.requests(site).cookie(authorization.id.text).clear()) }
        return response
    }
}

extension AuthorizationRequest {
    /// The first of the languages that the relying party wants for the pages.
    var language: String? { uiLocales.flatMap { UTF8Text($0).split { $0 == 0x20 }.first?.asString } }
}

extension Interaction {
    /// The error for the relying party; `nil` when a hosted page can take the step.
    func failure(of request: AuthorizationRequest) -> Failure? {
        let failure: Failure
        switch self {
        case .otherAccount: return .otherAccount
        case .unmetSecondFactor: return .unmetAuthenticationRequirements
        case .signIn, .signUp, .resetPassword: failure = .loginRequired
        case .chooseAccount: failure = .accountSelectionRequired
        case .editProfile, .enrolFactor: failure = .interactionRequired
        case .consent: failure = .consentRequired
        }
        return request.prompts.contains(.none) ? failure : nil
    }
}
