import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// One visit to a hosted page: the request that waits for the person, and what the pages offer them for it.
///
/// The request's cookie binds the visit to the browser that brought the request. A form of another site brings no cookie, and a form of
/// another browser the wrong one.
struct HostedVisit {
    let context: Context
    let address: IssuerAddress
    let client: OAuthClient
    let authorization: PendingAuthorization
    /// The value of the request's cookie.
    let cookie: String
    /// The browser's session, whether or not it can answer the request.
    let session: BrowserSession?
    let offer: SignInOffer
    let language: String
    /// The sign-in of this browser that waits for a second step; looked for only where the page is for one.
    private(set) var secondStep: SecondStep?

    var project: Project { address.project }
    var settings: ProjectSettings { address.project.settings }
    var flow: UserFlow? { address.userFlow }
    var accounts: Accounts { context.services.accounts }
    var site: Site { context.services.site }

    /// The client of a first step, with the secrets of the devices that are remembered in this browser.
    var clientInfo: Session.ClientInfo {
        // A remembered browser would sign in without the second factor that is asked for.
        if authorization.request.secondFactor != nil { return context.browserClientInfo }
        return context.browserClientInfo.on(IssuerCookies.devices(site).all(in: context.request).compactMap { DeviceToken($0.value) })
    }

    /// `nil` when no request waits for this browser: it is unknown, answered or expired, or another browser's.
    ///
    /// - Parameter query: that of the page's address.
    init?(_ project: Project, _ query: Form, _ context: Context) async throws {
        guard let waiting = try await WaitingRequest(project, query, context) else { return nil }
        let (settings, services) = (project.settings, context.services)
        self.context = context
        address = waiting.address
        client = waiting.client
        authorization = waiting.authorization
        cookie = waiting.cookie
        if let value = IssuerCookies.session(of: settings, services.site).value(in: context.request) {
            session = try await services.accounts.openID.browserSessions.find(value, in: settings)
        } else {
            session = nil
        }
        offer = SignInOffer(
            address.userFlow, of: project, at: services.site.ownName(context.request) ?? services.site.publicURL,
            canMail: services.accounts.outbox != nil)
        language = project.templates.language(for: context.request, preferred: authorization.request.locales)
        if query["page"].flatMap(HostedPage.init(exactly:))?.isSecondStep == true, let credential = pendingCredential {
            secondStep = try await SecondStep(credential, hasPasskeys: offer.hasPasskeys, services.accounts, in: settings)
        }
    }

    /// The path of a page of this visit.
    func path(_ page: HostedPage? = nil, _ more: [(name: String, value: String)] = []) -> String {
        let fields = (page.map { [(name: "page", value: $0.rawValue)] } ?? []) + more
        let path = IssuerPaths.signIn(settings.addressName, request: authorization.id.text)
        return fields.isEmpty ? path : path + "&" + Form(fields).encoded()
    }

    /// Sends the browser to another page of this visit.
    func go(to page: HostedPage, _ more: [(name: String, value: String)] = []) -> Response {
        RedirectResponse.to(path(page, more), status: 303)
    }

    /// Goes on with the request: it looks again at what the request needs.
    func resume() -> Response {
        RedirectResponse.to(IssuerPaths.resume(settings.addressName, request: authorization.id.text), status: 303)
    }

    /// Begins the browser's session with what a sign-in made, in place of the one that it had, and goes on. A sign-in that waits for a second
    /// factor goes on at the page that asks for it.
    ///
    /// - Parameters:
    ///   - page: the page to go to instead of the request.
    ///   - byForm: whether the person did something at a page of ours. If not, as when a client names the provider, an app that is reached by
    ///     its own scheme still gets nothing before the person agrees.
    func begin(_ outcome: SignInOutcome, goingTo page: HostedPage? = nil, byForm: Bool = true) async throws -> Response {
        let session: Session
        switch outcome {
        case .session(let made): session = made
        case .pending(let pending): return try await begin(pending)
        }
        if byForm { try await accounts.openID.requests.recordChoice(of: authorization, by: session.accountID, in: settings) }
        if let former = self.session { try await accounts.openID.browserSessions.replace(former, by: session, in: settings) }
        var response = page.map { go(to: $0) } ?? resume()
        let value = accounts.openID.browserSessions.cookie(for: session, in: settings)
        response.setCookie(IssuerCookies.setSession(value, of: settings, site))
        return response
    }

    /// Whether this visit's sign-in made the session.
    var isSessionNew: Bool { session.map { $0.session.authTime >= authorization.createdAt } ?? false }

    private var step: AuthorizationStep { AuthorizationStep(address: address, request: context.request, context: context) }

    /// The step that the request still needs.
    func needed() async throws -> Interaction? { try await step.interaction(authorization.request, of: client, session, authorization) }

    /// Ends the request: the client learns that the person does not want to.
    func cancel() async throws -> Response { try await step.refuse(.accessDenied, authorization.request, authorization) }
}

extension AuthorizationRequest {
    /// Whether the client asks for a person who signs in now, or did a short time ago.
    var asksAgain: Bool { prompts.contains(.login) || maxAge != nil }

    /// The languages that the client asks for, the best one first. <https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest>
    fileprivate var locales: [UTF8Text] { UTF8Text(uiLocales ?? "").split { $0 == UInt8(ascii: " ") }.filter { !$0.isEmpty } }
}
