import Accounts
import ProjectSettings
import Projects
import Text

extension ProviderAddress {
    /// The client of a request: a registered one, or the project itself for one of its apps' own pages. `nil` when it, or the address that
    /// the browser goes back to, is not registered any more.
    func client(of request: AuthorizationRequest) -> OAuthClient? {
        let settings = project.settings
        if request.isOfApp(in: settings) {
            guard settings.redirectURLs.contains(where: { request.redirectURI.isExactly($0) }) else { return nil }
            return OAuthClient(id: settings.id, name: settings.branding.name, kind: .browser, redirectURIs: [request.redirectURI])
        }
        guard let client = settings.openIDProvider?.client(id: UTF8Text(request.clientID)),
            client.isReached(at: request.redirectURI)
        else { return nil }
        return client
    }
}
