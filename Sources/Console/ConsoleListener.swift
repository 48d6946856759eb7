package import HTTP
package import HTTPServer
import Pages
import Text
package import Web

/// Answers the requests of the console's listener: those of the console's own host alone, and none of another site's pages.
package struct ConsoleListener: RequestHandler {
    private let app: App
    private let pages: PageSet
    /// Scheme, host and port.
    private let origin: String

    package init(_ console: Console, services: Services) {
        app = App(console.handlers, services: services)
        pages = console.pages
        origin = console.settings.publicURL
    }

    package func answer(_ request: Request) -> Answer {
        guard isForConsole(request) else { return .ready(Self.refusal(421, "This host is not the console's.\n")) }
        // The API permits calls from every page. The console permits none.
        if request.method == .options { return .ready(Self.refusal(405, "The console has no calls for other sites.\n")) }
        switch app.answer(request) {
        case .ready(let response):
            // The router answers a path that is not there as the API does.
            guard response.route == "*", response.status == 404 else { return .ready(Self.closed(response)) }
            var page = pages.page("refused", in: pages.language(for: request), ["reason": .word("notFound")], status: 404)
            page.route = response.route
            return .ready(page)
        case .pending(let work): return .pending { Self.closed(await work()) }
        }
    }

    package func bodyTooLarge(_ request: Request) -> Response { Self.refusal(413, "The form is too large.\n") }

    /// Whether the request names the console's host, or this machine, as through a tunnel. A name of another site that leads here does not count.
    private func isForConsole(_ request: Request) -> Bool {
        guard let name = request.headers["host"] else { return false }
        let scheme = origin.hasPrefix("https:") ? "https" : "http"
        return URI.parse("\(scheme)://\(name)" as UTF8Text)?.origin == origin || ThisMachine.names(name.asString)
    }

    /// Without the permission to other sites' pages that the router adds to the answer of a path that is not there.
    private static func closed(_ response: Response) -> Response {
        var response = response
        response.headers["access-control-allow-origin"] = nil
        return response
    }

    private static func refusal(_ status: Int, _ text: String) -> Response { .text(text, status: status) }
}
