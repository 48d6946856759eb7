import Accounts
import HTTP
import Testing
import Web
@testable import SignIn

@Suite struct HomeHostTests {
    private func project(_ url: String) -> Project {
        Project(
            settings: ProjectSettings(id: "demo", number: 1, apiKeys: ["key"], authorizedDomains: [], redirectURLs: []), providers: [],
            publicURL: url)
    }

    private func redirect(host: String?, cookie: String? = nil, to url: String = "http://localhost:8080") -> Response? {
        var headers = Headers()
        if let host { headers.add("host", host) }
        if let cookie { headers.add("cookie", cookie) }
        let request = Request(method: .get, path: "/__/auth/handler", query: "apiKey=key&x=%2F%00", headers: headers)
        return HomeHost.redirect(request, project(url), Site(publicURL: url, development: url.hasPrefix("http:")))
    }

    @Test(arguments: ["127.0.0.1:8080", "127.0.0.1", "evil.example", "localhost.evil.example:8080"])
    func `sends a start at another host home, with its own query`(host: String) {
        let response = redirect(host: host)
        #expect(response?.status == 302)
        #expect(response?.headers["location"] == "http://localhost:8080/__/auth/handler?apiKey=key&x=%2F%00")
    }

    @Test(arguments: ["localhost:8080", "localhost", "LOCALHOST:1", nil, "not a host"])
    func `leaves a start at home alone, whatever its port`(host: String?) { #expect(redirect(host: host) == nil) }

    @Test func `sends nobody in circles behind a proxy that hides the host`() throws {
        let url = "https://app.example.com"
        let mark = try #require(redirect(host: "10.0.0.1:8080", to: url)?.headers["set-cookie"])
        #expect(mark == "__Host-bfhome=1; Path=/; Max-Age=30; Secure; HttpOnly; SameSite=Lax")
        #expect(redirect(host: "10.0.0.1:8080", cookie: "__Host-bfhome=1", to: url) == nil)
    }
}
