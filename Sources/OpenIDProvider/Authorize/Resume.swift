import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `GET /{project}/oauth2/resume`: the browser comes back from a hosted page, and its request is looked at again.
struct Resume: RawEndpoint {
    static let route = Route(.get, "/{project}/oauth2/resume", access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["request"], answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        try query.once(["request"])
        guard let project = context.namedRealm, project.openIDProvider != nil else { throw Failure.notFound }
        return try await Optional(project).showingErrors {
            guard let waiting = try await WaitingRequest(project, query, context) else {
                return HostedVisit.lost(project.templates, request)
            }
            return try await Optional(project).showingErrors(in: waiting.authorization.request.language) {
                try await AuthorizationStep(address: waiting.address, request: request, context: context)
                    .answer(waiting.authorization.request, of: waiting.client, authorization: waiting.authorization)
            }
        }
    }
}

/// The pending request that a browser names by `?request=`, and may use by its cookie. The hosted pages begin with this, too.
struct WaitingRequest {
    let address: IssuerAddress
    let client: OAuthClient
    /// With what its client may still ask for.
    let authorization: PendingAuthorization
    /// The value of the request's cookie.
    let cookie: String

    /// `nil` when no request waits for this browser: it is unknown, answered or expired, or another browser's.
    ///
    /// - Parameter query: that of the page's address.
    init?(_ project: Project, _ query: Form, _ context: Context) async throws {
        guard let id = query["request"].flatMap(PendingAuthorization.ID.init),
            let cookie = IssuerCookies.requests(context.services.site).cookie(id.text).value(in: context.request),
            let authorization = try await context.services.accounts.openID.requests.waiting(id, cookie: cookie, in: project.settings),
            // The project's file may have changed in the meantime.
            let (client, request) = project.settings.standing(of: authorization.request),
            let address = IssuerAddress(of: project, userFlow: request.userFlow)
        else { return nil }
        self.address = address
        self.client = client
        self.authorization = authorization.with(request)
        self.cookie = cookie.asString
    }
}
