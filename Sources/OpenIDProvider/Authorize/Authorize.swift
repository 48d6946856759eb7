import Accounts
import HTTP
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `GET /{project}/oauth2/authorize`: a relying party sends a person here to sign in.
/// <https://openid.net/specs/openid-connect-core-1_0.html#AuthorizationEndpoint>
struct Authorize: RawEndpoint {
    static let route = IssuerRoutes.oauth(.get, "authorize")
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: AuthorizeForm.parameters, answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await AuthorizationCall(request, context).answer { step, accepted in
            try await step.answer(accepted.request, of: accepted.client, authorization: nil)
        }
    }
}

/// `POST /{project}/oauth2/authorize`: the same, with the parameters in a form.
///
/// Browsers send no `Lax` cookie with a form that a page of another site posts. So the request is kept, and the browser goes on with a GET, which has
/// the cookies.
struct PostedAuthorize: RawEndpoint {
    static let route = IssuerRoutes.oauth(.post, "authorize")
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(form: AuthorizeForm.parameters, answers: [.page, .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try await AuthorizationCall(request, context).answer { step, accepted in
            try await step.refusing(accepted.request) {
                try await step.keep(accepted.request) { IssuerPaths.resume(step.address.project.settings.addressName, request: $0) }
            }
        }
    }
}

/// A visit of the authorization endpoint: who asks what, before the browser's session is looked at.
private struct AuthorizationCall {
    let address: IssuerAddress
    let request: Request
    let context: Context

    init(_ request: Request, _ context: Context) throws(Failure) {
        address = try context.issuer(request)
        self.request = request
        self.context = context
    }

    /// Checks the request and lets `work` answer it. Refusals become pages or redirects.
    func answer(_ work: (AuthorizationStep, AuthorizeParameters.Accepted) async throws -> Response) async throws -> Response {
        try await Optional(address.project).showingErrors {
            let form = try AuthorizeForm.reading(request)
            let parameters = address.parameters(form, context.services.accounts)
            do {
                let accepted = try await pushed(form, parameters) ?? parameters.accepted()
                return try await work(AuthorizationStep(address: address, request: request, context: context), accepted)
            } catch let refusal as AuthorizationRefusal {
                return try answer(to: refusal, form)
            }
        }
    }

    /// The request that the relying party pushed before; `nil` when the parameters are those of the request itself.
    private func pushed(_ form: AuthorizeForm, _ parameters: AuthorizeParameters) async throws -> AuthorizeParameters.Accepted? {
        guard let uri = form["request_uri"], let id = PushedRequestURI.id(in: uri) else { return nil }
        let client = try parameters.client()
        let taken = try await context.services.accounts.openID.requests.takePushed(
            id, clientID: client.id, in: address.project.settings)
        // Some user flows share an issuer.
        guard let taken, taken.issuer.isExactly(address.urls.issuer), taken.userFlow == address.userFlow?.name,
            let (_, request) = address.project.settings.standing(of: taken)
        else {
            throw AuthorizationRefusal.page(.invalidRequest("The request_uri is unknown, used or expired."))
        }
        return AuthorizeParameters.Accepted(client: client, request: request)
    }

    private func answer(to refusal: AuthorizationRefusal, _ form: AuthorizeForm) throws -> Response {
        let described = refusal.failure.described(by: address.userFlow, request.id, at: context.services.clock.now())
        switch refusal {
        case .page: throw described
        case .redirect(_, let reply):
            return AuthorizationResponse(described, reply).response(
                to: request, of: address.project, language: form["ui_locales"]?.asString)
        }
    }
}

extension IssuerAddress {
    /// The checks of a request that arrived here.
    func parameters(_ form: AuthorizeForm, _ accounts: Accounts) -> AuthorizeParameters {
        AuthorizeParameters(
            form,
            at: AuthorizeParameters.Address(
                settings: project.settings.openIDProvider ?? ProjectSettings.OpenIDProvider(), userFlow: userFlow?.name,
                issuer: urls.issuer)
        ) { hint($0, accounts) }
    }
}
