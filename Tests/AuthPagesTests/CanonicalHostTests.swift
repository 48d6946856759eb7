import Accounts
@testable import AuthPages
import HTTP
import ProjectSettings
import Projects
import Testing
import Text
import Web

@Suite struct CanonicalHostTests {
    private static let production = "https://auth.example.com"
    private static let development = "http://localhost:8080"

    private func project(_ url: String, pagesAt own: String? = nil) -> Project {
        var settings = ProjectSettings(id: "demo", number: 1, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        settings.redirect.publicURL = own
        return Project(settings: settings, providers: [], publicURL: url)
    }

    private func request(host: String?, query: String = "apiKey=key&x=%2F%00") -> Request {
        var headers = Headers()
        if let host { headers.add("host", host) }
        return Request(method: .get, path: "/__/auth/handler", query: query, headers: headers)
    }

    private func site(_ url: String) -> Site { Site(publicURL: url, development: url.hasPrefix("http:")) }

    private func redirect(_ request: Request, to url: String = production, pagesAt own: String? = nil) throws -> Response? {
        CanonicalHost.redirect(request, try Form.reading(request.query), project(url, pagesAt: own), site(url))
    }

    @Test(arguments: ["127.0.0.1:8080", "localhost:8080", "evil.example", "auth.example.com.evil.example:8080", "[::1]"])
    func `sends a start at another host home, with its own query`(host: String) throws {
        let response = try redirect(request(host: host))
        #expect(response?.status == 302)
        #expect(response?.headers["location"] == "https://auth.example.com/__/auth/handler?apiKey=key&x=%2F%00&sentHome=1")
        #expect(response?.headers["set-cookie"] == nil)
    }

    @Test(arguments: ["auth.example.com", "auth.example.com:8080", "AUTH.example.com:1", nil, "not a host"])
    func `leaves a start at home alone, whatever its port`(host: String?) throws { #expect(try redirect(request(host: host)) == nil) }

    @Test func `sends a start home once, and every other start as well`() throws {
        let other = request(host: "10.0.0.1:8080", query: "apiKey=key&x=2")
        #expect(try redirect(request(host: "10.0.0.1:8080"))?.status == 302)
        #expect(try redirect(request(host: "10.0.0.1:8080", query: "apiKey=key&x=%2F%00&sentHome=1")) == nil)
        #expect(try redirect(other)?.headers["location"] == "https://auth.example.com/__/auth/handler?apiKey=key&x=2&sentHome=1")
    }

    @Test(arguments: ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "app.localhost:8080", "[::1]:8080", "127.9.9.9:8080"])
    func `follows every name of this machine in development mode`(host: String) throws {
        let request = request(host: host)
        #expect(try redirect(request, to: Self.development) == nil)
        let pages = project(Self.development).pagesURL(for: request, of: site(Self.development))
        #expect(pages == "http://" + host.lowercased())
        #expect(project(Self.development).handlerURL(of: nil, for: request, of: site(Self.development)) == pages + "/__/auth/handler")
    }

    @Test(arguments: ["evil.example", "localhost.evil.example:8080", "10.0.2.2:8080", "localhost@evil.example", "[::2]", "0.0.0.0"])
    func `SEC-07: follows no other host, even in development mode`(host: String) throws {
        let request = request(host: host)
        #expect(project(Self.development).pagesURL(for: request, of: site(Self.development)) == Self.development)
        if let moved = try redirect(request, to: Self.development) {
            #expect(moved.headers["location"]?.hasPrefix("http://localhost:8080/__/auth/handler?") == true)
        }
    }

    @Test(arguments: ["localhost:8080", "127.0.0.1", "[::1]:8080", "evil.example"])
    func `SEC-07: follows no host in production, nor where the project says where its pages are`(host: String) throws {
        let own = "http://app.localhost:3000"
        #expect(project(Self.production).pagesURL(for: request(host: host), of: site(Self.production)) == Self.production)
        #expect(project(Self.development, pagesAt: own).pagesURL(for: request(host: host), of: site(Self.development)) == own)
    }
}
