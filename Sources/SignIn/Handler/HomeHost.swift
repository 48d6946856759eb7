import HTTP
import Text
import Web

/// A start sets a cookie, which the browser must bring along when the provider sends it back to the project's own pages. A start at another
/// name of this server (the server's own for the app's) would fail there, so the browser is first sent to the same start at those pages.
enum HomeHost {
    /// What a start that was sent home has in its query. A proxy may hide the host that the browser used: then the redirect leads back to
    /// where it came from, and once is enough. The mark stands in the address of that one start, so it says nothing of any other.
    static let mark = "sentHome"

    /// The redirect to the same path and query on the project's pages; `nil` where the browser is there already. Only the host's name counts,
    /// as for cookies. The target is configured; nothing of it is taken from the request but path and query (SEC-07).
    static func redirect(_ request: Request, _ query: Form, _ project: Project, _ site: Site) -> Response? {
        guard query[UTF8Text(mark)] == nil, let asked = request.headers["host"].flatMap({ Authority.split(Array($0.utf8)[...])?.host }),
            let home = URI.parse(project.pagesURL(for: request, of: site))?.host, asked != home
        else { return nil }
        return Redirect.to("\(project.pagesURL)\(request.path)?\(request.query)&\(mark)=1", status: 302)
    }
}
