import Text
import Testing

@testable import ProjectSettings

/// The rules for redirect URIs: which ones can be registered, and which ones a request may send.
@Suite struct RedirectURITests {
    @Test(
        arguments: [
            (.native, "com.example.app:/callback"), (.native, "com.example.app://oauth/"),
            (.native, "com.example.app://oauth/redirect?a=b"),
            (.native, "com.onmicrosoft.contosob2c.exampleapp://oauth/redirect"), (.native, "com.example.app:///callback"),
            (.native, "https://app.example.com/callback"), (.native, "http://127.0.0.1/callback"), (.native, "http://[::1]:8000/callback"),
            (.native, "http://localhost"), (.browser, "https://app.example.com/callback"),
            (.confidential, "https://rp.example.com/oauth2/redirect_uri?tenant=7"), (.confidential, "https://rp.example.com:8443/%7Eada"),
        ] as [(OAuthClient.Kind, String)])
    func `can be registered`(kind: OAuthClient.Kind, uri: String) {
        #expect(RedirectURIRules.fault(of: uri, kind: kind, development: false) == nil)
    }

    @Test(
        arguments: [
            (.native, "/callback", "is not absolute"), (.native, "app.example.com/callback", "is not absolute"),
            (.native, ":/callback", "is not absolute"),
            (.confidential, "https://rp.example.com/#x", "has a fragment"), (.confidential, "https://*.example.com/", "has a *"),
            (.confidential, "https://user@rp.example.com/", "has user information"),
            (.confidential, "https://rp.example.com\\a", "has a backslash"),
            (.native, "com.example.app://user:secret@oauth/", "has user information"),
            (.confidential, "https://rp.example.com/a b", "has a character"),
            (.confidential, "https://rp.example.com/a\nb", "has a character"),
            (.confidential, "https://r\u{FC}p.example.com/", "has a character"),
            (.confidential, "https://rp.example.com/{id}", "has a character"),
            (.confidential, "https://rp.example.com/%2", "has a % that two hex digits do not follow"),
            (.confidential, "https://rp.example.com/a/../b", "has a . or .. segment"),
            (.confidential, "https://rp.example.com/a/%2E%2e/b", "has a . or .. segment"),
            (.native, "com.example.app:/a/..", "has a . or .. segment"),
            (.confidential, "https://rp.example.com/?code=1", "has code in its query"),
            (.confidential, "https://rp.example.com/?", "has a query"),
            (.confidential, "http://rp.example.com/", "is plain http, which is only taken of"),
            (.native, "http://127.0.0.1.evil.test/", "is plain http, which is only taken of"),
            (.native, "http://localhost.evil.test/", "is plain http, which is only taken of"),
            (.native, "http://app.localhost/", "is plain http, which is only taken of"), (.native, "http://0x7f.1/", "is not a URL"),
            (.native, "http://127.0.0.2/", "is plain http, which is only taken of"), (.native, "http://localhost:0/", "is not a URL"),
            (.native, "http:/callback", "is not a URL"), (.native, "https:///callback", "is not a URL"),
            (.confidential, "http://localhost/", "is plain http of this machine"),
            (.browser, "http://127.0.0.1:80/", "is plain http of this machine"),
            (.confidential, "https://my_host.example.com/", "has an underscore in its host"),
            (.native, "com.example_app:/callback", "has an underscore in its scheme"),
            (.native, "com.example.app://my_host/", "has an underscore in its host"),
            (.native, "7com.example:/callback", "has a scheme with a character"),
            (.native, "example:/callback", "has a scheme without a dot"),
            (.native, "com.example.app://oauth", "has no path behind its host"),
            (.native, "com.example.app://oauth?a=b", "has no path behind its host"),
            (.native, "com.example.app:callback", "has no path; write com.example.app:/callback"),
            (.native, "com.example.app:", "has no path; write"), (.native, "com.example.app://a..b/", "has a host that is not a name"),
            (.browser, "com.example.app:/callback", "has a scheme of its own"),
            (.confidential, "com.example.app:/callback", "has a scheme of its own"),
            (.native, "javascript:/a.b", "has the scheme javascript"), (.native, "JavaScript:alert(1)", "has the scheme javascript"),
            (.native, "data:text/html,x", "has the scheme data"), (.native, "intent://scan/", "has the scheme intent"),
            (.native, "https://rp.example.com/" + String(repeating: "a", count: 2048), "is longer than 2048 bytes"),
        ] as [(OAuthClient.Kind, String, String)])
    func `is refused with the rule that it breaks`(kind: OAuthClient.Kind, uri: String, message: String) {
        let fault = RedirectURIRules.fault(of: uri, kind: kind, development: false)
        #expect(fault?.hasPrefix(message) == true, "\(fault ?? "taken")")
    }

    @Test func `may be plain http of this machine for every kind in development mode`() {
        for kind in OAuthClient.Kind.allCases {
            #expect(RedirectURIRules.fault(of: "http://localhost:5173/callback", kind: kind, development: true) == nil)
            #expect(RedirectURIRules.fault(of: "http://example.com/callback", kind: kind, development: true) != nil)
        }
    }

    @Test func `has a note for an underscore behind a scheme of its own alone`() throws {
        let read = try ReadOpenIDProvider(
            client: "kind: native, redirectURIs: [\"com.example.app:/sign_in\", \"https://app.example.com/sign_in\"]")
        #expect(read.faults == [] && read.notes.count == 1)
        #expect(read.notes.first?.contains("com.example.app:/sign_in has an underscore in its path") == true)
    }

    @Test func `is listed once, and after a log-out follows the same rules`() throws {
        let twice = try ReadOpenIDProvider(client: "kind: native, redirectURIs: [\"com.example.app:/a\", \"com.example.app:/a\"]").faults
        #expect(twice == ["clients[0].redirectURIs: com.example.app:/a is listed twice; remove one"])
        let entry = "kind: native, redirectURIs: [\"com.example.app:/a\"], postLogoutRedirectURIs: [\"com.example.app://out\"]"
        let out = try ReadOpenIDProvider(client: entry).faults
        #expect(out.count == 1 && out[0].hasPrefix("clients[0].postLogoutRedirectURIs: com.example.app://out has no path"), "\(out)")
    }

    private static func client(_ kind: OAuthClient.Kind, _ uris: String...) -> OAuthClient {
        OAuthClient(id: "app", kind: kind, redirectURIs: uris)
    }

    @Test(
        arguments: [
            ("https://rp.example.com/callback?a=B", true), ("https://rp.example.com/callback", false),
            ("https://rp.example.com/callback?a=B&c=d", false), ("https://rp.example.com/callback?a=b", false),
            ("https://rp.example.com/Callback?a=B", false), ("https://rp.example.com//callback?a=B", false),
            ("HTTPS://rp.example.com/callback?a=B", false),
            ("https://RP.example.com/callback?a=B", false), ("https://rp.example.com/callback/?a=B", false),
            ("https://rp.example.com:443/callback?a=B", false), ("https://rp.example.com/callback?a=B#", false),
            ("https://rp.example.com/callback?a=%42", false), ("https://x@rp.example.com/callback?a=B", false),
            ("https://rp.example.com/%63allback?a=B", false), ("https://rp.example.com/callback?a=B\n", false), ("", false), (":", false),
            ("https://rp.example.com.evil.test/callback?a=B", false), ("http://rp.example.com/callback?a=B", false),
            ("https://rp.example.com./callback?a=B", false), ("//rp.example.com/callback?a=B", false), ("/callback?a=B", false),
            ("https://rp.example.com@evil.test/callback?a=B", false), ("https://rp.example.com/callback?a=B\u{0}", false),
            (" https://rp.example.com/callback?a=B", false), ("https:\\\\rp.example.com/callback?a=B", false),
            ("https://rp.example.com/x/../callback?a=B", false), ("https://rp.example.com/x/%2e%2e/callback?a=B", false),
            ("javascript:alert(1)//https://rp.example.com/callback?a=B", false),
        ] as [(UTF8Text, Bool)])
    func `matches letter by letter`(sent: UTF8Text, matches: Bool) {
        let client = Self.client(.confidential, "https://other.example.com/", "https://rp.example.com/callback?a=B")
        #expect(client.redirectURI(matching: sent) == (matches ? sent.asString : nil))
    }

    @Test(
        arguments: [
            ("http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", true),
            ("http://127.0.0.1/callback", "http://127.0.0.1/callback", true),
            ("http://127.0.0.1:8000/callback", "http://127.0.0.1:49152/callback", false),
            ("http://[::1]/callback", "http://[::1]:1/callback", true),
            ("http://localhost/callback", "http://localhost:65535/callback", true),
            ("http://localhost/callback", "http://LOCALHOST:65535/callback", false),
            ("http://localhost/callback", "HTTP://localhost:65535/callback", false),
            ("http://localhost/callback", "http://localhost:65536/callback", false),
            ("http://localhost/callback", "http://localhost:0/callback", false),
            ("http://localhost/callback", "http://localhost:080/callback", false),
            ("http://localhost/callback", "http://localhost:/callback", false),
            ("http://localhost/callback", "http://localhost:80/other", false),
            ("http://localhost/callback", "http://127.0.0.1:80/callback", false),
            ("http://localhost/callback", "https://localhost:80/callback", false),
            ("http://localhost/callback", "http://localhost:80@evil.test/callback", false),
            ("http://localhost/callback", "http://localhost:80.evil.test/callback", false),
            ("http://localhost/callback", "http://localhost.evil.test/callback", false),
            ("http://localhost/callback", "http://localhost:8 0/callback", false),
            ("http://localhost/callback", "http://evil.test#@localhost/callback", false),
            ("http://127.0.0.1/callback", "http://127.1:80/callback", false),
            ("http://127.0.0.1/callback", "http://0x7f.1:80/callback", false),
            ("http://127.0.0.1/callback", "http://2130706433:80/callback", false),
            ("http://127.0.0.1/callback", "http://[::1]:80/callback", false),
            ("http://127.0.0.1", "http://127.0.0.1:5000", true), ("http://127.0.0.1", "http://127.0.0.1:5000/", false),
            ("https://app.example.com/", "https://app.example.com:8443/", false),
            ("https://rp.example.com/", "https://rp.example.com:443/", false),
            ("com.example.app://oauth/", "com.example.app://oauth:80/", false),
        ] as [(String, UTF8Text, Bool)])
    func `of a native app may have any port on this machine when it is registered without one`(known: String, sent: UTF8Text, matches: Bool)
    {
        #expect(Self.client(.native, known).redirectURI(matching: sent) == (matches ? sent.asString : nil))
    }

    @Test func `of another client needs its own port`() {
        #expect(Self.client(.browser, "http://localhost/a").redirectURI(matching: "http://localhost:5173/a") == nil)
        #expect(Self.client(.confidential, "http://localhost/a").redirectURI(matching: "http://localhost:5173/a") == nil)
    }

    @Test(
        arguments: [
            ("com.example.app:/callback", true), ("Com.Example.App:/callback", false), ("com.example.app:/Callback", false),
            ("com.example.app://callback", false), ("com.example.app:///callback", false), ("com.example.app2:/callback", false),
        ] as [(UTF8Text, Bool)])
    func `of an app's own scheme matches letter by letter, too`(sent: UTF8Text, matches: Bool) {
        #expect((Self.client(.native, "com.example.app:/callback").redirectURI(matching: sent) != nil) == matches)
    }

    @Test func `of a log-out is matched apart from those of sign-ins`() {
        var client = Self.client(.native, "com.example.app:/callback")
        client.postLogoutRedirectURIs = ["com.example.app:/out"]
        #expect(client.postLogoutRedirectURI(matching: "com.example.app:/out") == "com.example.app:/out")
        #expect(client.postLogoutRedirectURI(matching: "com.example.app:/callback") == nil)
        #expect(client.redirectURI(matching: "com.example.app:/out") == nil)
    }
}
