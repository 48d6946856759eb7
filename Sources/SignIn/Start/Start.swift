import Accounts
import Brokerage
import Crypto
import HTTP
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `GET /__/auth/start`: a plain browser app, without an SDK, sends its user to a provider.
///
/// The app makes a PKCE verifier, keeps it, and sends its S256 challenge; the verifier later redeems the result. The address to which the
/// browser is sent back must be registered exactly (SEC-10). Until this is certain, errors are shown on pages and never redirected.
struct Start: RawEndpoint {
    static let route = Route(.get, "/__/auth/start", access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: [
            "apiKey", "key", "redirectUrl", "providerId", "state", "code_challenge", "code_challenge_method", "scopes", "customParameters",
        ], answers: [.redirect(302)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Query(request)
        guard let project = context.services.projects.project(apiKey: query.apiKey, for: request) else {
            throw Failure.linkWithoutAPIKey
        }
        if let home = CanonicalHost.redirect(request, query.form, project, context.services.site) { return home }
        return try await Optional(project).showingErrors { try await visit(query, project, context) }
    }

    private func visit(_ query: Query, _ project: Project, _ context: Context) async throws -> Response {
        guard project.settings.redirectURLs.contains(where: { query.redirectURL == $0 }) else {
            throw Failure.unauthorizedDomain(
                "The app's address is not registered for sign-in: redirectUrl must equal one of the project's redirectURLs.")
        }
        let back = ReturnAddress(
            url: query.redirectURL.asString, appState: query.state?.asString,
            issuer: project.settings.issuer(publicURL: context.services.site.publicURL))
        do {
            return try await start(query, project, context)
        } catch {
            return back.redirect(try context.failure(ofStart: error, at: query.providerID, of: project))
        }
    }

    private func start(_ query: Query, _ project: Project, _ context: Context) async throws -> Response {
        let site = context.services.site
        let broker = context.broker(of: project)
        let provider = try broker.provider(query.providerID)
        try await context.limit(.startSignIn, of: project)
        let options = try ProviderOptions(query.form)
        let start = SignInStart(
            providerID: provider.id, kind: .web, sessionHash: try query.sessionHash(),
            redirectURI: project.handlerURL(of: provider, for: context.request, of: site),
            returnURL: query.redirectURL.asString, appState: query.state?.asString, customParameters: options.customParameters)
        let begun = try await broker.begin(start, at: provider, scopes: options.scopes)
        var response = RedirectResponse.to(begun.url, status: 302)
        for cookie in FlowCookie.set(for: begun.started, context.request, site) { response.headers.add("set-cookie", cookie) }
        return response
    }
}

/// The start's parameters, each given at most once.
private struct Query {
    let apiKey: UTF8Text
    let providerID: UTF8Text
    let redirectURL: UTF8Text
    let state: UTF8Text?
    let form: Form

    init(_ request: Request) throws(Failure) {
        form = try Form.reading(request.query)
        try form.once()
        apiKey = form["apiKey"] ?? form["key"] ?? ""
        redirectURL = form["redirectUrl"] ?? ""
        providerID = form["providerId"]?.asciiLowercased ?? ""
        state = form["state"]
        guard (state?.utf8.count ?? 0) <= 2048, state?.utf8.allSatisfy({ $0 >= 0x20 }) ?? true else {
            throw Failure.invalidAddress("state is longer than 2048 bytes, or holds control characters.")
        }
    }

    /// The S256 challenge: the hash of the verifier that will redeem. Weaker methods are refused (SEC-11).
    func sessionHash() throws(Failure) -> [UInt8] {
        guard form["code_challenge_method"] == "S256" else { throw .invalidArgument("code_challenge_method must be S256") }
        guard let challenge = form["code_challenge"], let hash = Base64URL.decodeStrict(challenge.asString), hash.count == 32 else {
            throw .invalidArgument("code_challenge must be the base64url SHA-256 of the code verifier")
        }
        return hash
    }
}
