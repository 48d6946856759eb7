package import HTTP

/// Redirects that leak nothing: no caching, no Referer.
package enum RedirectResponse {
    package static func to(_ url: String, status: Int) -> Response {
        Response(status: status, headers: ["location": url, "cache-control": "no-store", "referrer-policy": "no-referrer"])
    }
}
