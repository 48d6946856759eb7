import Accounts
import HTTP
import Web

/// A start sets a cookie, which the browser must bring along when the provider sends it back to the project's own pages. A start at another
/// name of this server (127.0.0.1 for localhost, the server's name for the app's) would fail there, so it is sent home first.
enum HomeHost {
    /// The redirect to the same path and query on the project's pages; `nil` where the browser is there already. Only the host's name counts,
    /// as for cookies. The target is configured; nothing of it is taken from the request but path and query (SEC-07).
    static func redirect(_ request: Request, _ project: Project, _ site: Site) -> Response? {
        guard let asked = request.headers["host"].flatMap({ Authority.split(Array($0.utf8)[...])?.host }),
            let home = URI.parse(project.pagesURL)?.host, asked != home
        else { return nil }
        // A proxy may hide the host that the browser used. Then the redirect leads back here, and this cookie with it: once is enough.
        guard request.headers.cookie(cookie(site)) == nil else { return nil }
        var mark = SetCookie(cookie(site), "1", maxAge: .seconds(30))
        mark.isSecure = !site.development
        var response = Redirect.to(project.pagesURL + request.path + "?" + request.query, status: 302)
        response.headers.add("set-cookie", mark.header)
        return response
    }

    private static func cookie(_ site: Site) -> String { site.development ? "bfhome" : "__Host-bfhome" }
}
