import HTTP
import Testing
import Text

@Suite struct URITests {
    @Test(
        arguments: [
            ("https://app.example.com/", true), ("http://localhost:5173/a", true), ("http://127.0.0.1/", true), ("http://[::1]:80/", true),
            ("http://app.example.com/", false), ("http://localhost.example.com/", false), ("http://192.168.0.1/", false),
        ])
    func `is trustworthy over https and on a loopback host`(text: String, isTrustworthy: Bool) {
        #expect(URI.parse(text)?.isTrustworthy == isTrustworthy)
    }

    @Test func `takes a URL apart`() throws {
        let uri = try #require(URI.parse("HTTPS://Login.Example.com:8443/a/b%20c;x?q=1&r=/?#f"))
        #expect(uri.scheme == "https")
        #expect(uri.host == "login.example.com")
        #expect(uri.port == 8443)
        #expect(uri.path == "/a/b%20c;x")
        #expect(uri.query == "q=1&r=/?")
        #expect(uri.fragment == "f")
        #expect(uri.origin == "https://login.example.com:8443")
        #expect(uri.description == "https://login.example.com:8443/a/b%20c;x?q=1&r=/?#f")
    }

    @Test(arguments: [
        ("http://a", "http://a/"), ("http://a:80/", "http://a/"), ("https://a:443?x", "https://a/?x"), ("http://a:443/", "http://a:443/"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://[2001:DB8:0::1]", "https://[2001:db8::1]/"),
        ("https://a_b.example/", "https://a_b.example/"), ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
    ])
    func `prints one form`(text: String, printed: String) { #expect(URI.parse(text)?.description == printed) }

    @Test(arguments: [
        "", "a", "/a", "//a/b", "ftp://a/", "javascript:alert(1)", "http:", "http:/a", "http://", "http:///a", "http://?a",
        "http://user@a/",
        "http://user:pw@a/", "http://a@b:80/", "http://a:/", "http://a:0/", "http://a:080/", "http://a:65536/", "http://a:b/",
        "http://a b/", "http://a/b c",
        "http://a/\\b", "http://a\\b/", "http://ä/", "http://a/ä", "http://a/%", "http://a/%2", "http://a/%zz", "http://a/?%",
        "http://a/#%1", "http://a/#b#c",
        "http://a./", "http://.a/", "http://a..b/", "http://-a/", "http://a-/", "http://256.1.1.1/", "http://1.2.3/", "http://2130706433/",
        "http://0x7f000001/", "http://a.0x1/", "http://01.2.3.4/", "http://[::1/", "http://::1/", "http://[1.2.3.4]/", "http://[::1]x/",
        "http://[::ffff:1.2.3.4]/",
        "http://[fe80::1%25eth0]/", " http://a/", "http://a/ ", "http://a/\n", "http://a/\u{0}", "http://a,b/", "http://a/{b}",
        "http://a/?<b>", "http://*/",
    ])
    func `refuses what is not a plain absolute web address`(text: String) { #expect(URI.parse(text) == nil) }

    @Test func `compares paths and queries exactly`() {
        #expect(URI.parse("HTTP://A/x") == URI.parse("http://a:80/x"))
        #expect(URI.parse("http://a/x") != URI.parse("http://a/X"))
        #expect(URI.parse("http://a/x") != URI.parse("http://a/x/"))
        #expect(URI.parse("http://a/%41") != URI.parse("http://a/A"))
        #expect(URI.parse("http://a/?") != URI.parse("http://a/"))
    }

    @Test func `sets fields behind the query and before the fragment`() {
        #expect(URI.parse("http://a/x#f")?.replacing(["b": "c d"]).description == "http://a/x?b=c+d#f")
        #expect(URI.parse("http://a/x?y=1")?.replacing(["b": "&"]).description == "http://a/x?y=1&b=%26")
        #expect(URI.parse("http://a/x")?.replacing([:]).description == "http://a/x")
    }

    @Test(arguments: [
        ("?b=1", "?b=2"), ("?b=1&y=1&b=3", "?y=1&b=2"), ("?%62=1&y=%31", "?y=%31&b=2"), ("?b", "?b=2"), ("?", "?b=2"),
        ("?y&&z=1", "?y&&z=1&b=2"), ("?bb=1&B=1", "?bb=1&B=1&b=2"), ("?y=b", "?y=b&b=2"), ("?=b", "?=b&b=2"),
    ])
    func `puts its own fields in the place of those that were there, and leaves the others as they are`(before: String, after: String) {
        #expect(URI.parse("http://a/x" + before)?.replacing(["b": "2"]).query == String(after.dropFirst()))
    }

    @Test(arguments: [
        ("http://localhost/", true), ("http://127.0.0.2/", true), ("http://[::1]/", true), ("http://localhost.example/", false),
        ("http://10.0.0.1/", false),
    ])
    func `knows loopback hosts`(text: String, isLoopback: Bool) { #expect(URI.parse(text)?.isLoopback == isLoopback) }
}
