import Accounts
import Brokerage
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// The address to which the browser of a web flow finally goes, with the parameters that it always gets: the app's own state and the
/// issuer (RFC 9207).
struct ReturnAddress {
    let url: String
    let appState: String?
    let issuer: String

    /// The address ends with an empty fragment. Otherwise a browser would carry the fragment of the provider's answer over to the app:
    /// Facebook appends `#_=_`. <https://fetch.spec.whatwg.org/#concept-http-redirect-fetch>
    func redirect(_ fields: [(name: String, value: String)]) -> Response {
        let fields = fields + (appState.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        return RedirectResponse.to(url + (url.contains("?") ? "&" : "?") + Form(fields).encoded() + "#", status: 303)
    }
}

extension ReturnAddress {
    /// The page that started the flow; `nil` when no page did.
    init?(_ flow: SignInFlow, _ project: Project, _ site: Site) {
        guard let url = flow.returnURL else { return nil }
        self.init(url: url, appState: flow.appState, issuer: project.settings.issuer(publicURL: site.publicURL))
    }

    func redirect(_ failure: Failure) -> Response {
        redirect([("error", failure.oauthError), ("error_description", failure.message)])
    }

    func redirect(_ returned: ReturnedSignIn) -> Response {
        switch returned.outcome {
        case .succeeded(let code): redirect([("code", code.text), ("flow", FlowID(bytes: returned.flow.id).text)])
        case .refused(let error): redirect(Failure(describing: error))
        }
    }
}
