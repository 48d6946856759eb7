import Accounts
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /{project}/account`: the page at which a person sees what opens their account, and changes it, in their browser's session.
///
/// A person without a session signs in first, by a request that this page makes itself (`ProjectSettings.accountPageClientID`), and comes back.
struct AccountPage: RawEndpoint {
    static let route = Route(.get, AccountVisit.route, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["page", "note", "error"], answers: [.page, .redirect(302)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        return try await AccountVisit.answering(context) { address in
            guard let visit = try await AccountVisit(address, context) else {
                // The person did not want to sign in.
                if query["error"] != nil { return AccountVisit.signedOut(address.project, request) }
                return try await AccountVisit.signIn(at: address, context)
            }
            return try await visit.askingForFreshSignIn {
                switch query["page"].flatMap(AccountVisit.Page.init(exactly:)) {
                case .enrol: try await visit.showEnrolment()
                case .passkey: try await visit.showPasskey()
                case nil: try await visit.show(note: query["note"].flatMap(AccountVisit.Note.init(exactly:)))
                }
            }
        }
    }
}

/// `POST /{project}/account`: the forms of that page.
struct AccountForm: RawEndpoint {
    static let route = Route(.post, AccountVisit.route, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: .texts(optional: ["page"]),
        body: .form(.texts(optional: ["do", "factor", "passkey", "name", "credential", "session", "code"])),
        answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else { throw Failure.invalidArgument("Expected the form of the page.") }
        let form = try Form.reading(request.body)
        try form.once()
        return try await AccountVisit.answering(context) { address in
            // A form of another site comes without the session (SameSite=Lax).
            guard context.services.site.isOwnForm(request) else { throw Failure.invalidArgument("The form was not sent by the page.") }
            guard let visit = try await AccountVisit(address, context) else { return try await AccountVisit.signIn(at: address, context) }
            return try await visit.askingForFreshSignIn { try await visit.answer(form) }
        }
    }
}

/// One visit of the account page, by a person who is signed in with all that their project asks for.
struct AccountVisit {
    static let route = "/{project}/account"

    /// The pages besides the first.
    enum Page: String, CaseIterable { case enrol, passkey }

    /// The notices that an address of the page can ask for: a fixed list, since any site can link to the page.
    enum Note: String, CaseIterable { case done, tooMany, lastFactor, passkeyRefused, passkeyTaken, passkeyLimit }

    let address: IssuerAddress
    let context: Context
    let session: BrowserSession
    let language: String

    var project: Project { address.project }
    var settings: ProjectSettings { project.settings }
    var accounts: Accounts { context.services.accounts }
    var site: Site { context.services.site }
    var client: Session.ClientInfo { context.browserClientInfo }

    /// `nil` where the browser has no session that is enough.
    init?(_ address: IssuerAddress, _ context: Context) async throws {
        let step = AuthorizationStep(address: address, request: context.request, context: context)
        let settings = address.project.settings
        guard let session = try await step.session(), SignInStep.due(after: session.authentication) == nil,
            !session.lacksSecondFactor(in: settings)
        else { return nil }
        self.address = address
        self.context = context
        self.session = session
        language = address.project.templates.language(for: context.request)
    }

    static func answering(_ context: Context, _ work: (IssuerAddress) async throws -> Response) async throws -> Response {
        guard let project = context.namedRealm, project.settings.openIDProvider?.accountPage == true,
            let address = IssuerAddress(of: project)
        else { throw Failure.notFound }
        return try await Optional(project).showingErrors { try await work(address) }
    }

    /// Has the person sign in, and come back.
    ///
    /// - Parameter again: whether a session that is there is not enough.
    static func signIn(at address: IssuerAddress, again: Bool = false, _ context: Context) async throws -> Response {
        let (settings, site) = (address.project.settings, context.services.site)
        var asked = AuthorizationRequest(
            clientID: settings.accountPageClientID,
            redirectURI: (site.ownName(context.request) ?? site.publicURL) + IssuerPaths.account(settings.addressName), scopes: [],
            issuer: address.urls.issuer)
        asked.prompts = again ? [.login] : []
        // Without it, the person could change nothing that needs one.
        asked.secondFactor = .wanted
        guard let (client, request) = settings.standing(of: asked) else { throw Failure.notFound }
        return try await AuthorizationStep(address: address, request: context.request, context: context)
            .answer(request, of: client, authorization: nil)
    }

    /// Does something for which the person must have signed in a moment ago; otherwise they sign in again first.
    func askingForFreshSignIn(_ work: () async throws -> Response) async throws -> Response {
        do { return try await work() } catch let error as AccountError {
            switch error {
            case .signInTooOld: return try await Self.signIn(at: address, again: true, context)
            // The session has ended meanwhile, or the account changed: the page shows how it is now.
            case .conflict, .sessionEnded: return go()
            default:
                guard let note = Note(error) else { throw error }
                return go(note)
            }
        }
    }

    /// Sends the browser to the first page.
    func go(_ note: Note? = nil) -> Response {
        RedirectResponse.to(path + (note.map { "?note=\($0.rawValue)" } ?? ""), status: 303)
    }

    var path: String { IssuerPaths.account(settings.addressName) }

    /// The caller as the rules for clients know one. It does not leave this process.
    var idToken: String { get throws { try accounts.idTokens.issue(for: session.account, session.session, in: settings) } }
}

extension AccountVisit.Note {
    /// `nil` for an error that is not the person's.
    fileprivate init?(_ error: AccountError) {
        switch error {
        case .tooManyAttempts: self = .tooMany
        case .secondFactor(.lastOfRequired): self = .lastFactor
        case .secondFactor(.notFound): self = .done
        case .passkeyRefused, .passkeyResponseMissing, .passkeyChallengeRefused: self = .passkeyRefused
        case .passkeyTaken: self = .passkeyTaken
        case .passkeyLimitReached: self = .passkeyLimit
        default: return nil
        }
    }
}
