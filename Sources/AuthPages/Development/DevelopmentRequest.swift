import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// The authorization request that brought the browser to the page, as a provider gets it, and the answers to it.
/// <https://www.rfc-editor.org/rfc/rfc6749#section-4.1>
struct DevelopmentRequest {
    let provider: ProviderSettings
    /// The language that the app wants for the person, as OpenID Connect has apps ask for it.
    let language: String?
    private let redirectURI: String
    private let state: String

    /// The server made the request itself. It is checked nevertheless, so that no link leads a browser through this page to a foreign one.
    init(
        _ query: Form, _ state: FlowState, _ project: Project, _ providers: DevelopmentProviders, _ context: Context
    ) throws(Failure) {
        try query.once(["client_id", "redirect_uri", "state", "ui_locales"])
        guard let provider = providers.provider(query["client_id"] ?? "") else {
            throw .invalidAddress("The parameter client_id does not name a provider that this page takes the place of.")
        }
        let handlers = [project.handlerURL(), project.handlerURL(of: nil, for: context.request, of: context.services.site)]
        do throws(RedirectURIFault) {
            redirectURI = try project.redirectURI(query["redirect_uri"] ?? "", of: UTF8Text(provider.id), handlers: handlers)
        } catch {
            throw .invalidAddress("The parameter redirect_uri is neither this server's handler nor a page of an authorized domain.")
        }
        self.provider = provider
        language = query["ui_locales"]?.asString
        self.state = state.text
    }

    /// The request again, as the fields of the page's form.
    var fields: [(name: String, value: String)] {
        [("client_id", provider.id), ("redirect_uri", redirectURI), ("state", state)] + (language.map { [("ui_locales", $0)] } ?? [])
    }

    /// The address at which the browser answers that this person has signed in.
    func answer(_ person: MadeUpPerson) -> String { answer([("code", person.claims.text())]) }

    /// The address at which the browser answers with an error of the standard.
    func answer(error: String) -> String { answer([("error", error)]) }

    private func answer(_ fields: [(name: String, value: String)]) -> String {
        "\(redirectURI)?\(Form(fields + [("state", state)]).encoded())"
    }
}
