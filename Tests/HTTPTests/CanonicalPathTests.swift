import HTTP
import Testing
import Text

@Suite struct CanonicalPathTests {
    @Test(arguments: [
        ("/", "/", ""), ("/?", "/", ""), ("/v1/accounts:lookup?key=a%2Fb&x=?", "/v1/accounts:lookup", "key=a%2Fb&x=?"),
        ("/v1/accounts%3Alookup", "/v1/accounts:lookup", ""), ("/v1/accounts%3alookup", "/v1/accounts:lookup", ""),
        ("/%76%31/x", "/v1/x", ""),
        ("/sample/", "/sample/", ""), ("/.well-known/openid-configuration", "/.well-known/openid-configuration", ""),
        (
            "/service_accounts/v1/jwk/securetoken%40system.gserviceaccount.com",
            "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", ""
        ),
        ("/acme//.well-known/openid-configuration", "/acme/.well-known/openid-configuration", ""),
        ("/tfp/x/b2c_1_susi/v2.0//.well-known/openid-configuration?p=1", "/tfp/x/b2c_1_susi/v2.0/.well-known/openid-configuration", "p=1"),
        ("/a?x={\"y\":[1|2]}\\^`", "/a", "x={\"y\":[1|2]}\\^`"), ("/a..b/c.d", "/a..b/c.d", ""),
    ])
    func `SEC-09 gives one form of a path`(target: String, path: String, query: String) throws {
        let parsed = try #require(CanonicalPath.parse(target))
        #expect(parsed.path == path)
        #expect(parsed.query == query)
    }

    @Test(arguments: [
        "", "a", "*", "?a", "//", "//a", "/a//b", "/a//", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/.", "/..", "/a/./b", "/a/../b",
        "/%2e%2e/b", "/a/%2e",
        "/a/.%2e/b", "/a/..;/b", "/a/..%3b/b", "/a;x=1", "/a%3Bx", "/a%00", "/a%00.html", "/a%0d%0aX:%20y", "/a%", "/a%2", "/a%zz",
        "/a%252fb", "/a%25",
        "/a b", "/a%20b", "/a\u{7F}", "/a#b", "/a?b#c", "/a%23b", "/a%3Fb", "/ä", "/%C3%A4", "/%ff", "/a.", "/a./b", "/a%2e", "/a...",
        "/a?b c",
        "/a?\u{1}", "/a?ä", "/{a}", "/a|b", "/a\"b", "//.well-known/openid-configuration", "/a///.well-known/openid-configuration",
        "/a//.well-known/openid-configuration/", "/a//b//.well-known/openid-configuration", "/a//.well-known/other",
    ])
    func `SEC-09 refuses a path that could be read in two ways`(target: String) { #expect(CanonicalPath.parse(target) == nil) }

    @Test func `SEC-09 keeps case and the trailing slash apart`() {
        #expect(CanonicalPath.parse("/V1/Accounts")?.path == "/V1/Accounts")
        #expect(CanonicalPath.parse("/a")?.path != CanonicalPath.parse("/a/")?.path)
    }
}
