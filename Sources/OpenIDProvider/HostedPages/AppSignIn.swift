import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// The hosted pages for an app that uses a Firebase SDK and is not a relying party: its page sends the browser here, and gets it back with
/// a one-time token in the fragment, which `signInWithCustomToken` takes.
///
/// The request is one of the project itself, to an address of its `redirectURLs` (SEC-10). The app makes `state` and compares it when the
/// browser is back; otherwise any site could send a person to the app's page with a token of its own (login CSRF), so a start without
/// `state` is refused.
enum AppSignIn {
    static func begin(_ query: Form, _ context: Context) async throws -> Response {
        guard let project = context.namedRealm, let address = IssuerAddress(of: project) else { throw Failure.notFound }
        return try await Optional(project).showingErrors {
            guard let (client, asked) = project.settings.standing(of: try request(query, at: address, of: project)) else {
                throw ReturnParameters.unknownPage
            }
            return try await AuthorizationStep(address: address, request: context.request, context: context)
                .answer(asked, of: client, authorization: nil)
        }
    }

    private static func request(_ query: Form, at address: IssuerAddress, of project: Project) throws(Failure) -> AuthorizationRequest {
        try query.once()
        let app = try ReturnParameters(query, of: project, needsState: true)
        var asked = AuthorizationRequest(
            clientID: project.settings.id, redirectURI: app.redirectURL.asString, scopes: [], issuer: address.urls.issuer)
        asked.state = app.state?.asString
        asked.responseMode = .fragment
        asked.prompts = try prompts(query["prompt"])
        asked.uiLocales = query["hl"]?.asString
        return asked
    }

    private static func prompts(_ text: UTF8Text?) throws(Failure) -> [AuthorizationRequest.Prompt] {
        guard let text, !text.isEmpty else { return [] }
        guard let prompt = AuthorizationRequest.Prompt(exactly: text), prompt != .consent else {
            throw .invalidAddress("The value of the parameter prompt is not known.")
        }
        return [prompt]
    }
}
