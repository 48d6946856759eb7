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
            "tenantId",
        ], answers: [.redirect(302)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Query(request)
        guard let project = context.services.projects.project(apiKey: query.apiKey, for: request) else {
            throw Failure.linkWithoutAPIKey
        }
        if let home = CanonicalHost.redirect(request, query.form, project, context.services.site) { return home }
        return try await Optional(project).showingErrors {
            try await visit(query, context.realm(of: project, query.form), context)
        }
    }

    private func visit(_ query: Query, _ project: Project, _ context: Context) async throws -> Response {
        // The verifier of the challenge keeps other sites' results out, so `state` is the app's choice.
        let app = try ReturnParameters(query.form, of: project, needsState: false)
        let back = ReturnAddress(
            url: app.redirectURL.asString, appState: app.state?.asString,
            issuer: project.settings.issuer(publicURL: context.services.site.publicURL))
        do {
            return try await start(query, app, project, context)
        } catch {
            return back.redirect(try context.failure(ofStart: error, at: query.providerID, of: project))
        }
    }

    private func start(
        _ query: Query, _ app: ReturnParameters, _ project: Project, _ context: Context
    ) async throws -> Response {
        let site = context.services.site
        let broker = context.broker(of: project)
        let provider = try broker.provider(query.providerID)
        try await broker.charge(.startSignIn, from: context.clientInfo)
        let options = try ProviderOptions(query.form)
        let start = SignInStart(
            providerID: provider.id, kind: .web, sessionHash: try query.sessionHash(),
            redirectURI: project.handlerURL(of: provider, for: context.request, of: site),
            returnURL: app.redirectURL.asString, appState: app.state?.asString, customParameters: options.customParameters)
        let begun = try await broker.begin(start, at: provider, scopes: options.scopes)
        var response = RedirectResponse.to(begun.url, status: 302)
        response.setCookies(FlowCookie.set(for: begun.started, context.request, site))
        return response
    }
}

/// The start's parameters, each given at most once.
private struct Query {
    let apiKey: UTF8Text
    let providerID: UTF8Text
    let form: Form

    init(_ request: Request) throws(Failure) {
        form = try Form.reading(request.query)
        try form.once()
        apiKey = form["apiKey"] ?? form["key"] ?? ""
        providerID = form["providerId"]?.asciiLowercased ?? ""
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
