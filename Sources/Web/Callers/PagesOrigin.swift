import Accounts
package import HTTP
import ProjectSettings
package import Projects
package import Providers
import Text

extension Site {
    /// The name of this machine that the browser used, as scheme, host and port. Only development mode over plain http follows it. `nil`
    /// in production, whatever `Host` says (SEC-07), and for every host that is not always this machine.
    package func ownName(_ request: Request) -> String? {
        guard development, publicURL.hasPrefix("http://"), let host = request.headers["host"],
            let uri = URI.parse("http://\(host)" as UTF8Text),
            ThisMachine.isLoopback(host: uri.host)
        else { return nil }
        return uri.origin
    }
}

extension Project {
    /// The scheme, host and port at which the browser that sent `request` reaches the pages below `/__/auth/`.
    ///
    /// This is what the configuration says, except in development mode. There a browser may use any name of this machine (`localhost`, a
    /// name below it, a loopback address). Cookies and the SDK's frame belong to one name, so the pages, and the provider's way back to
    /// them, are at the name that the browser used.
    package func pagesURL(for request: Request, of site: Site) -> String {
        guard settings.redirect.publicURL == nil, let own = site.ownName(request), URI.parse(own)?.host != URI.parse(pagesURL)?.host else {
            return pagesURL
        }
        return own
    }

    /// The redirect URI for the browser that sent `request`.
    package func handlerURL(of provider: ProviderSettings?, for request: Request, of site: Site) -> String {
        pagesURL(for: request, of: site) + handlerPath(of: provider)
    }
}
