import Accounts
import Crypto
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /{project}/oauth2/logout`: a relying party sends a person here to sign out.
/// <https://openid.net/specs/openid-connect-rpinitiated-1_0.html>
///
/// With an ID token of this person and a registered address, the browser goes back at once. Otherwise the person is asked, since any page can
/// send a browser here.
struct Logout: RawEndpoint {
    static let route = IssuerRoutes.oauth(.get, "logout")
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: LogoutRequest.names, answers: [.page, .redirect(302)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let address = try context.issuer(request)
        return try await Optional(address.project).showingErrors(at: .signOut) {
            let visit = try LogoutVisit(address, try Form.reading(request.query), request, context)
            return try await visit.answer(visit.session())
        }
    }
}

/// `POST /{project}/oauth2/logout`: the answer to the page's question, or the request of a relying party in a form.
struct PostedLogout: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "logout")
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(form: LogoutRequest.names + ["confirmed"], answers: [.page, .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let address = try context.issuer(request)
        return try await Optional(address.project).showingErrors(at: .signOut) {
            guard request.isForm else { throw Failure.invalidAddress("The request is not a form.") }
            let form = try Form.reading(request.body)
            let visit = try LogoutVisit(address, form, request, context)
            let session = try await visit.session()
            guard form[LogoutVisit.confirmation] != nil else {
                // A form of another site comes without the browser's session (SameSite=Lax); a GET has it.
                guard let session else { return RedirectResponse.to(address.urls.endSessionPath + "?" + form.encoded(), status: 303) }
                return try await visit.answer(session)
            }
            guard context.services.site.isOwnForm(request) else {
                throw Failure.invalidAddress("This form can only be sent by a page of this server.")
            }
            guard let session else { return visit.signedOut() }
            return try await visit.end(session)
        }
    }
}

/// A visit of the logout endpoint.
private struct LogoutVisit {
    /// The field by which the page's form says that the person agrees.
    static let confirmation: UTF8Text = "confirmed"

    let address: IssuerAddress
    let asked: LogoutRequest
    private let form: Form
    private let request: Request
    private let context: Context

    init(_ address: IssuerAddress, _ form: Form, _ request: Request, _ context: Context) throws(Failure) {
        self.address = address
        self.form = form
        self.request = request
        self.context = context
        let provider = address.project.settings.openIDProvider ?? ProjectSettings.OpenIDProvider()
        asked = try LogoutRequest(form, of: provider) { address.hint($0, context.services.accounts) }
    }

    private var settings: ProjectSettings { address.project.settings }

    func session() async throws -> BrowserSession? {
        guard let cookie = IssuerCookies.session(of: settings, context.services.site).value(in: request) else { return nil }
        return try await context.services.accounts.openID.browserSessions.find(cookie, in: settings)
    }

    /// Ends the session when its own relying party asks; otherwise asks the person.
    func answer(_ session: BrowserSession?) async throws -> Response {
        guard let session else { return signedOut() }
        let isProven = asked.isOf(sessionID: Base64URL.encode(session.session.id), subject: address.subject(of: session.account))
        return isProven ? try await end(session) : page(asks: true)
    }

    /// Ends the browser's session. The browser does not wait until the relying parties that got something in it are told.
    func end(_ session: BrowserSession) async throws -> Response {
        try await context.services.accounts.openID.browserSessions.end(session, in: settings)
        return signedOut()
    }

    /// The way back to the relying party, or a page.
    func signedOut() -> Response {
        var response = asked.target.map { RedirectResponse.to($0, status: request.method == .post ? 303 : 302) } ?? page(asks: false)
        response.setCookie(IssuerCookies.session(of: settings, context.services.site).clear())
        return response
    }

    private func page(asks: Bool) -> Response {
        let templates = address.project.templates
        // The form repeats only what led to an address.
        let names: [UTF8Text] = asked.target == nil ? [] : ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
        var fields = names.compactMap { name in form.filled(name).map { (name, $0) } }
        fields.append((Self.confirmation, "yes"))
        return templates.page(
            "logout", in: templates.language(for: request, parameter: asked.language),
            [
                "asks": .flag(asks), "action": .text(address.urls.endSessionPath),
                "fields": .list(fields.map { ["name": .text($0.0.asString), "value": .text($0.1.asString)] }),
            ], allowing: asks ? .formsToAnywhere : [])
    }
}
