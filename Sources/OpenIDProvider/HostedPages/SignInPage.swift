import Accounts
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /{project}/sign-in`: the page at which a person does what their request still needs: sign in, make an account, choose one, consent.
struct SignInPage: RawEndpoint {
    static let route = Route(.get, HostedVisit.route, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: ["request", "page", "note", "provider", "redirectUrl", "state", "prompt", "hl"],
        answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        if query["request"] == nil, query["redirectUrl"] != nil { return try await AppSignIn.begin(query, context) }
        return try await HostedVisit.answering(request, query, context) { visit in
            let asked = query["page"].flatMap(HostedPage.init(exactly:))
            guard let page = HostedPage.shown(asked: asked, try await visit.facts()) else { return visit.resume() }
            if page == .signIn, asked == nil, let button = visit.hintedProvider {
                return try await visit.start(button.id, from: page, isHinted: true)
            }
            if page == .enrol { return try await visit.showEnrolment() }
            var content = HostedContent()
            content.notice = PageNotice.reading(query, for: page, of: visit.offer)
            return try await visit.shown(page, content)
        }
    }
}

/// `POST /{project}/sign-in`: the forms of those pages.
struct SignInForm: RawEndpoint {
    static let route = Route(.post, HostedVisit.route, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: .texts(optional: ["request", "page"]),
        body: .form(
            .texts(optional: ["do", "provider", "email", "password", "name", "code", "session", "factor", "credential", "remember"])),
        answers: [.page, .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else { throw Failure.invalidArgument("Expected the form of the page.") }
        let (query, form) = (try Form.reading(request.query), try Form.reading(request.body))
        try form.once()
        return try await HostedVisit.answering(request, query, context) { visit in
            guard visit.site.isOwnForm(request) else { throw Failure.invalidArgument("The form was not sent by the page.") }
            // Nothing is needed, or refused, as long as the person only wants to leave.
            if form["do"] == "cancel" { return try await visit.cancel() }
            let asked = query["page"].flatMap(HostedPage.init(exactly:))
            guard let page = HostedPage.shown(asked: asked, try await visit.facts()) else { return visit.resume() }
            // The page of the form is not due any more: a form that was sent twice, or from a page behind the browser's back button.
            guard page == asked else { return asked?.isSecondStep == true ? visit.startAgain() : visit.go(to: page) }
            do {
                return try await visit.answer(form, of: page)
            } catch let fault as FormFault {
                return try await visit.shown(page, HostedContent(faults: [fault], form: form))
            } catch let error as AccountError {
                guard let fault = FormFault(error, on: page) else { throw error }
                return try await visit.shown(page, HostedContent(faults: [fault], form: form))
            }
        }
    }
}

extension HostedVisit {
    static let route = "/{project}/sign-in"

    /// Answers a request of a browser by which a person visits a hosted page.
    static func answering(
        _ request: Request, _ query: Form, _ context: Context, _ work: (HostedVisit) async throws -> Response
    ) async throws -> Response {
        try query.once(["request", "page"])
        guard let project = context.namedRealm, project.settings.openIDProvider != nil else { throw Failure.notFound }
        return try await Optional(project).showingErrors {
            guard let visit = try await HostedVisit(project, query, context) else { return lost(project.templates, request) }
            return try await work(visit)
        }
    }

    /// The facts that decide which page is due.
    func facts() async throws -> HostedPage.Facts {
        var facts = HostedPage.Facts(
            needed: try await needed(), offer: offer, isCodeMailed: authorization.email != nil,
            isEmailProven: authorization.emailProven,
            mayComplete: isSessionNew && isIncomplete)
        facts.secondSteps = secondStep?.pages ?? []
        return facts
    }

    private var isIncomplete: Bool {
        guard let account = session?.account, let flow else { return false }
        return flow.collect.contains { $0.value(of: account) == nil }
    }

    /// The provider that the request names (`domain_hint`).
    fileprivate var hintedProvider: ProviderButton? {
        // A person who is to sign in again must see that, and not only pass through a provider that still knows them.
        if authorization.request.asksAgain { return nil }
        return authorization.request.domainHint.flatMap { hint in offer.providers.first { $0.id.isExactly(UTF8Text(hint).asciiLowercased) }
        }
    }

    /// Does what the form's button says.
    fileprivate func answer(_ form: Form, of page: HostedPage) async throws -> Response {
        if let provider = form["provider"] { return try await start(provider.asString, from: page) }
        switch (page, form["do"]) {
        case (.signIn, "password"): return try await signIn(form)
        case (.signIn, "mail"): return try await mailCode(form, from: page, to: .signInCode)
        case (.signUp, "mail"): return try await mailCode(form, from: page, to: .signUpCode)
        case (.reset, "mail"): return try await mailCode(form, from: page, to: .resetCode)
        case (.signInCode, "again"), (.signUpCode, "again"), (.resetCode, "again"): return try await mailAgain(from: page)
        case (.signInCode, "code"), (.signUpCode, "code"), (.resetCode, "code"): return try await enterCode(form, at: page)
        case (.signIn, "passkey"): return try await signInByPasskey(form)
        case (.secondFactor, "factor"), (.phoneCode, "factor"), (.recoveryCode, "factor"): return try await passSecondFactor(form, at: page)
        case (.phoneCode, "send"): return try await sendPhoneCode(form)
        case (.passkey, "passkey"): return try await passPasskey(form)
        case (.enrol, "enrol"): return try await enrol(form)
        case (.signUpDetails, "create"): return try await signUp(form)
        case (.newPassword, "save"): return try await setPassword(form)
        case (.profile, "profile"): return try await saveProfile(form)
        case (.accounts, "choose"):
            if let session { try await accounts.openID.requests.recordChoice(of: authorization, by: session.account.id, in: settings) }
            return resume()
        case (.consent, "allow"): return try await consent()
        default: throw Failure.invalidArgument("The form is not one of this page.")
        }
    }

    private func consent() async throws -> Response {
        guard let session else { return resume() }
        do {
            try await accounts.openID.requests.recordConsent(
                to: authorization.request.scopes, of: authorization, by: session, in: settings)
        } catch AccountError.conflict {
            // The session has ended meanwhile, so the person is asked to sign in.
        }
        return resume()
    }
}

/// The notices that an address of a page can ask for: a fixed list, since any site can link to the page.
enum PageNotice: String, CaseIterable {
    case declined, providerDown, providerFailed, sentAgain, exists, startAgain

    static func reading(_ query: Form, for page: HostedPage, of offer: SignInOffer) -> TemplateValue? {
        guard let notice = query["note"].flatMap(PageNotice.init(exactly:)) else { return nil }
        switch notice {
        case .declined, .providerDown, .providerFailed:
            let provider = query["provider"].flatMap { id in offer.providers.first { id == $0.id } }
            return page == .signIn || page == .signUp ? provider.map { .word(notice.rawValue, ["provider": .text($0.name)]) } : nil
        case .sentAgain: return page.template == "code" ? .word(notice.rawValue) : nil
        case .exists: return page == .newPassword ? .word(notice.rawValue) : nil
        case .startAgain: return page == .signIn ? .word(notice.rawValue) : nil
        }
    }
}
