import Accounts
package import HTTP
package import Providers
import Text

extension Site {
    /// The name of this machine that the browser came by, as scheme, host and port, where the server follows it: in development mode over
    /// plain http. `nil` in production, whatever `Host` says (SEC-07), and for every host that is not always this machine.
    package func ownName(_ request: Request) -> String? {
        guard development, publicURL.hasPrefix("http://"), let host = request.headers["host"],
            let uri = URI.parse("http://\(host)" as UTF8Text),
            ThisMachine.isLoopback(host: uri.host)
        else { return nil }
        return uri.origin
    }
}

extension Project {
    /// Where the browser that sent `request` reaches the pages below `/__/auth/`: scheme, host and port.
    ///
    /// This is what the configuration says. In development mode a browser may come by any name of this machine (`localhost`, a name below
    /// it, a loopback address). Cookies and the SDK's frame belong to one name, so there the pages, and the provider's way back to them,
    /// are at the name that the browser used.
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
