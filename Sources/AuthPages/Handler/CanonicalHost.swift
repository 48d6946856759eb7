import HTTP
import Projects
import Text
import Web

/// Sends the browser to the project's own pages before a start. A start sets a cookie, which the browser must send when the provider sends
/// it back there. A start at another name of this server (its own name instead of the app's) would fail at that point, so the browser is
/// first redirected to the same start at those pages.
enum CanonicalHost {
    /// The parameter of a start that was redirected here. A proxy may hide the host that the browser used; then the redirect leads back to
    /// where it came from, and it must not be repeated. The mark is only in the address of that one start, so it does not affect any
    /// other.
    static let mark = "sentHome"

    /// The redirect to the same path and query on the project's pages; `nil` when the browser is there already. Only the host's name
    /// counts, as for cookies. The target comes from the configuration; only path and query are taken from the request (SEC-07).
    static func redirect(_ request: Request, _ query: Form, _ project: Project, _ site: Site) -> Response? {
        guard query[UTF8Text(mark)] == nil, let asked = request.headers["host"].flatMap({ Authority.split(Array($0.utf8)[...])?.host }),
            let home = URI.parse(project.pagesURL(for: request, of: site))?.host, asked != home
        else { return nil }
        return RedirectResponse.to("\(project.pagesURL)\(request.path)?\(request.query)&\(mark)=1", status: 302)
    }
}
