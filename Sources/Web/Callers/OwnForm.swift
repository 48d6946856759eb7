package import HTTP
package import Projects
package import Text

extension Site {
    /// Whether a page of this server sent the form, as far as the browser tells: under the pages' referrer policy, its `Origin` is `null`.
    ///
    /// No form relies on this alone. Each also needs a cookie that browsers do not send with a form of another site (SameSite=Lax), or a
    /// code that no other page has. <https://fetch.spec.whatwg.org/#append-a-request-origin-header>
    /// - Parameter isOwn: tells of other origins than the server's own whether the page is served there too.
    package func isOwnForm(_ request: Request, servedAt isOwn: (UTF8Text) -> Bool = { _ in false }) -> Bool {
        if let relation = request.headers["sec-fetch-site"] { return relation == "same-origin" }
        guard let origin = request.headers["origin"], origin != "null" else { return true }
        return origin == ownName(request) ?? publicURL || isOwn(origin)
    }
}
