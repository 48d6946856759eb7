import Accounts
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /__/auth/iframe`: the hidden frame that the JS SDK keeps in the app's page. Only pages of the project's authorized domains may
/// frame it, in either mode of the SDK.
struct IframePage: RawEndpoint {
    static let route = Route(.get, "/__/auth/iframe", aliases: ["/emulator/auth/iframe"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["apiKey", "appName"], answers: [.page])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try FetchDestination.iframe.check(request)
        let query = try Form.reading(request.query)
        try query.once(["apiKey", "appName"])
        guard let key = query["apiKey"], let project = context.services.projects.project(apiKey: key, for: request) else {
            throw Failure.frameWithoutAPIKey
        }
        guard let name = query["appName"], name.utf8.count <= 128 else {
            throw Failure.invalidAddress("The address of this frame has no appName.")
        }
        let redirect = project.settings.redirect
        let isGoogle = redirect.iframeTransport == .google
        // The frame's request for the result would bring the same cookie as this one, so without a fitting cookie it need not ask.
        let mayHaveResult = ReturnCookie.ticket(in: request, context.services.site)?.belongs(to: project.settings) ?? false
        let data: JSON = [
            "storageKey": .string("\(key):\(name)"), "pending": mayHaveResult ? .string(Pending.route.path) : .null,
            "relay": redirect.relay || redirect.returnToken ? .string(Relay.route.path) : .null,
            "transport": .string(redirect.iframeTransport.rawValue),
        ]
        let html = """
            <!doctype html><meta charset="utf-8"><script type="application/json" id="data">\(HTML.island(data))</script>\
            <script src="\(PageScript.iframePage.link)" defer></script>
            """
        var headers: Headers = [
            "content-type": "text/html; charset=utf-8",
            "content-security-policy":
                "default-src 'none'; script-src 'self'\(isGoogle ? " https://apis.google.com" : ""); connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors \(Self.ancestors(of: project, request, context.services.site))",
            "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
            // App pages under Cross-Origin-Embedder-Policy can only frame pages that have this header.
            "cross-origin-resource-policy": "cross-origin",
        ]
        if !isGoogle { headers.add("cross-origin-embedder-policy", "require-corp") }
        return Response(headers: headers, body: Array(html.utf8))
    }

    /// The authorized domains on any port, as `frame-ancestors` writes them; with http only for this machine.
    ///
    /// `frame-ancestors` cannot contain an IPv6 address. In development mode the server looks at the page's `Referer` instead: any page
    /// may frame an answer that a page at such an address asked for.
    /// <https://www.w3.org/TR/CSP3/#framework-directive-source-list>
    static func ancestors(of project: Project, _ request: Request, _ site: Site) -> String {
        if site.development, let host = request.headers["referer"].flatMap(URI.parse)?.host, host.hasPrefix("["),
            project.authorizes(host: host)
        {
            return "http: https:"
        }
        let sources = project.settings.authorizedDomains.filter { !$0.hasPrefix("[") }.flatMap { domain in
            let isOfThisMachine = ThisMachine.isLoopback(host: AuthorizedDomain.host(of: domain))
            return (isOfThisMachine ? ["http://\(domain):*"] : []) + ["https://\(domain):*"]
        }
        return (["'self'"] + sources).joined(separator: " ")
    }
}
