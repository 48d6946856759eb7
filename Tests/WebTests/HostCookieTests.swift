import HTTP
import Projects
import Testing
import Text

@testable import Web

struct HostCookieTests {
    private let site = Site(publicURL: "https://auth.example.com", development: false)
    private let development = Site(publicURL: "http://127.0.0.1:8080", development: true)

    @Test func `a frame of another site's page gets a cookie only over TLS`() {
        #expect(HostCookie("a", at: site, sameSite: .none).clear() == "__Host-a=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=None")
        #expect(HostCookie("a", at: development, sameSite: .none).clear() == "a=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
    }

    @Test func `a family finds its own cookies, and clears the oldest above ten`() {
        let family = CookieFamily("kind", at: site)
        let cookies = (0..<11).map { "__Host-kind.\($0)=v\($0)" } + ["__Host-other.1=x", "kind.2=y"]
        let request = Request(method: .get, path: "/", headers: ["cookie": cookies.joined(separator: "; ")])
        #expect(family.all(in: request).map(\.id) == (0..<11).map { UTF8Text("\($0)") })
        #expect(family.cookie("3").value(in: request) == "v3")
        let headers = family.set("new", "v", for: .seconds(60), in: request)
        #expect(headers.map { $0.prefix { $0 != ";" } } == ["__Host-kind.0=", "__Host-kind.1=", "__Host-kind.new=v"])
        // Set anew, one is not another one.
        let three = CookieFamily("kind", at: site, most: 11).set("3", "v", for: .seconds(60), in: request)
        #expect(three.map { $0.prefix { $0 != ";" } } == ["__Host-kind.3=v"])
    }

    @Test func `a family fits into a request, and clears the oldest where it does not`() {
        let family = CookieFamily("kind", at: site, most: 5)
        let cookies = (0..<4).map { "__Host-kind.\($0)=\(String(repeating: "v", count: 1500))" }
        let request = Request(method: .get, path: "/", headers: ["cookie": cookies.joined(separator: "; ")])
        let headers = family.set("new", String(repeating: "v", count: 1000), for: .seconds(60), in: request)
        #expect(headers.map { $0.prefix { $0 != "=" } } == ["__Host-kind.0", "__Host-kind.1", "__Host-kind.new"])
    }
}
