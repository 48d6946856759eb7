import Accounts
import Brokerage
import HTTP
import Identity
import Logging
import Pages
import ProjectSettings
import Projects
import Providers
import Runtime
import Text
import Web

/// The sign-in of operators: at the provider of the console, or by an address that `gatehouse console open` made.
///
/// The session's cookie is SameSite=Strict, so the request by which the provider sends the browser back does not bring it. That request ends on a
/// page with a link, whose request is the first one of the session.
extension Console {
    static let signInPath = "/sign-in"
    static let signOutPath = "/sign-out"
    private static let startPath = "/sign-in/start"
    static let returnPath = "/sign-in/return"
    static let openPath = "/open"

    var signInHandlers: [Handler] {
        [
            endpoint(.get, Self.signInPath, named: "Console.SignIn", signInPage),
            endpoint(.get, Self.startPath, named: "Console.StartSignIn", start),
            endpoint(.get, Self.returnPath, named: "Console.ReturnFromProvider", comeBack),
            endpoint(.get, Self.openPath, named: "Console.OpenPage", openPage),
            endpoint(.post, Self.openPath, named: "Console.Open", open),
            endpoint(.post, Self.signOutPath, named: "Console.SignOut", signOut),
        ]
    }

    /// The redirect URI that is registered with the provider.
    package var redirectURI: String { settings.publicURL + Self.returnPath }

    /// The address of the sign-in, which leads back to the page of a GET request.
    func signInLink(goingOnTo request: Request) -> String {
        guard let page = request.pageAddress, request.path != "/" else { return Self.signInPath }
        return "\(Self.signInPath)?\(Form([(name: "next", value: UTF8Text(page))]).encoded())"
    }

    /// The page to go on at, of an address that any site may have made: a path of the console, or else its first page.
    static func next(_ query: Form) -> String {
        guard let next = query["next"], next.hasPrefix("/"), next.utf8.count <= 1024,
            next.utf8.dropFirst().first.map({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }) ?? true,
            next.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "/" }
        return next.asString
    }

    private func signInPage(_ request: Request, _ context: Context) async throws -> Response {
        let next = Self.next(try Form.reading(request.query))
        let values: [String: TemplateValue] = [
            "provider": .text(settings.provider?.name), "start": .text(startLink(goingOnTo: next)), "next": .text(next),
        ]
        guard let question = try await passkeyQuestion(request, context) else { return page("signIn", request, values) }
        var response = page("signIn", request, values.merging(question.values) { own, _ in own }, script: Self.passkeyScript)
        response.setCookie(question.cookie)
        return response
    }

    /// The address that leads to the provider, and back to a page.
    func startLink(goingOnTo next: String) -> String { "\(Self.startPath)?\(Form([(name: "next", value: next)]).encoded())" }

    private func start(_ request: Request, _ context: Context) async throws -> Response {
        guard let provider = settings.provider else { throw Failure.notFound }
        let flow = context.services.accounts.operators.flows.begin(
            next: Self.next(try Form.reading(request.query)), replacing: sessionCookie.value(in: request), asking: provider.freshSignIn)
        let url: String
        do {
            url = try await context.services.brokerage.authorizationURL(
                for: flow, at: provider, redirectURI: redirectURI, log: context.log)
        } catch { return refused(error, request, context) }
        var response = RedirectResponse.to(url, status: 303)
        response.setCookies(try begun(in: request, context).set(flow))
        return response
    }

    private func comeBack(_ request: Request, _ context: Context) async throws -> Response {
        guard let provider = settings.provider else { throw Failure.notFound }
        let answer = try Form.reading(request.query)
        let (begun, state) = (begun(in: request, context), answer["state"] ?? "")
        func over(_ page: Response) -> Response {
            var page = page
            page.setCookie(begun.clear(state))
            return page
        }
        guard let flow = begun.flow(of: state) else { return over(ended("flowOver", request, status: 400)) }
        let proven: ProvenOperator
        do {
            proven = try await context.services.brokerage.person(
                of: answer, flow, at: provider, redirectURI: redirectURI, log: context.log)
        } catch { return over(refused(error, request, context)) }
        let identity = proven.identity
        guard let person = try await person(of: identity, context) else {
            context.log.warning(
                "operator refused", metadata: ["issuer": "\(identity.issuer)", "subject": "\(identity.subject)"])
            let subject: TemplateValue = .text(ConsoleVisit.inert(identity.subject))
            return over(ended("unknownPerson", request, status: 403, ["subject": subject]))
        }
        let session = try await context.services.accounts.operators.sessions.begin(
            person.name, OperatorPerson(issuer: identity.issuer, subject: identity.subject), at: proven.signedInAt,
            replacing: begun.formerSessions, from: context.browserClientInfo)
        let values: [String: TemplateValue] = [
            "operator": .text(person.name), "next": .text(flow.next),
            "signedInAt": .text(
                session.isFresh(at: context.services.clock.now()) ? nil : Timestamp.minute(session.signedInAt)),
        ]
        var response = page("signedIn", request, values)
        response.setCookies(try begun.headers(forNew: session, ending: flow.state))
        response.setCookie(sessionCookie.set(session.cookie, for: OperatorSessions.lifetime))
        return response
    }

    /// The operator that a person is whom the provider has proven now or before: by the subject in the file, or by an address that was bound to the
    /// subject. `nil` where the file does not have them any more.
    func known(_ person: OperatorPerson, _ context: Context) async throws -> Operator? {
        settings.person(person, boundTo: try await context.services.accounts.operators.bindings.email(of: person))
    }

    /// The operator that a person at the provider is: one who is known, or one by an address that is bound to the subject now, since the provider is
    /// authoritative for its domain (SEC-65).
    private func person(of identity: ProviderIdentity, _ context: Context) async throws -> Operator? {
        let bindings = context.services.accounts.operators.bindings
        let person = OperatorPerson(issuer: identity.issuer, subject: identity.subject)
        if let known = try await known(person, context) { return known }
        // The address that a subject was bound to stays the one, also where the file does not have it any more.
        guard identity.emailAuthoritative, let email = identity.email, let entry = settings.entry(of: email) else { return nil }
        return try await bindings.bind(person, to: email, named: entry.person.name, from: context.browserClientInfo) ? entry.person : nil
    }

    private func openPage(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        return page("open", request, ["action": .text(Self.openPath), "code": .text(query["code"]?.asString)])
    }

    private func open(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm, ConsoleVisit.isSameOrigin(request, site) else { return ended("foreignForm", request, status: 403) }
        let form = try Form.reading(request.body)
        try form.once()
        let begun = begun(in: request, context)
        let session = try await context.services.accounts.operators.openings.use(
            form["code"] ?? "", replacing: begun.formerSessions, from: context.browserClientInfo, isOfThisMachine: request.isOfThisMachine)
        guard let session else { return ended("openingRefused", request, status: 403) }
        context.log.warning("the console was opened without its provider", metadata: ["address": "\(request.peer)"])
        var response = RedirectResponse.to("/", status: 303)
        response.setCookies(try begun.headers(forNew: session))
        response.setCookie(sessionCookie.set(session.cookie, for: OperatorSessions.lifetimeOfBreakGlass))
        return response
    }

    private func signOut(_ request: Request, _ context: Context) async throws -> Response {
        try await answering(request, context) { visit in
            guard try await visit.ownForm(request) != nil else { return visit.page(.refused(.foreignForm), at: .overview) }
            try await visit.accounts.operators.sessions.end(visit.session)
            var response = RedirectResponse.to(Self.signInPath, status: 303)
            response.setCookie(sessionCookie.clear())
            return response
        }
    }

    /// The sign-ins at the provider that the browser has begun.
    func begun(in request: Request, _ context: Context) -> BegunSignIns {
        BegunSignIns(in: request, at: site, session: sessionCookie, context.services.accounts.operators.flows)
    }

    /// A page for a browser that is not signed in.
    private func page(
        _ name: String, _ request: Request, _ values: [String: TemplateValue], status: Int = 200, script: String? = nil
    ) -> Response {
        pages.page(name, in: pages.language(for: request), values, status: status, script: script)
    }

    /// The page of a sign-in that came to nothing. The browser's session, if it has one, stays.
    func ended(
        _ reason: String, _ request: Request, status: Int, _ more: [String: TemplateValue] = [:]
    ) -> Response {
        page("refused", request, ["reason": .word(reason, more), "again": .text(Self.signInPath)], status: status)
    }

    private func refused(_ error: any Error, _ request: Request, _ context: Context) -> Response {
        let detail = (error as? BrokerageError)?.logDetail
        context.log.warning("operator refused", metadata: ["reason": "\(detail ?? "\(error)")"])
        return ended("providerRefused", request, status: 400)
    }
}
