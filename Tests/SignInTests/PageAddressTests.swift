import Testing
@testable import SignIn
import Text

@Suite struct PageAddressTests {
    @Test(arguments: [
        ("https://app.example.com/", "https://app.example.com", "app.example.com"),
        ("https://app.example.com:8443/a?b=c#/d", "https://app.example.com:8443", "app.example.com"),
        ("https://app.example.com/a%20b?q={x}|[y]^`'\\&z=%zz#{}|\\^`'", "https://app.example.com", "app.example.com"),
        ("http://localhost:5000/", "http://localhost:5000", "localhost"),
        ("http://127.0.0.1:5000/", "http://127.0.0.1:5000", "127.0.0.1"),
        ("http://[::1]:5000/", "http://[::1]:5000", "[::1]"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("https://app.example.com//evil.example/@x", "https://app.example.com", "app.example.com"),
    ])
    func `takes addresses as browsers write them, and keeps them to the letter`(text: String, origin: String, host: String) throws {
        let page = try #require(PageAddress(text))
        #expect(page.url == text)
        #expect(page.origin == origin)
        #expect(page.host == host)
    }

    @Test(arguments: [
        "", "app.example.com", "//app.example.com/", "/home", "javascript:alert(1)//app.example.com/", "data:text/html,x",
        "ftp://app.example.com/",
        "http://app.example.com/", "http://localhost.example.com/", "https:app.example.com/", "https:/app.example.com/",
        "https:///app.example.com/",
        "https://user@app.example.com/", "https://user:pass@app.example.com/", "https://evil.example\\@app.example.com/",
        "https://app.example.com\\@evil.example/", "https://app.example.com/\\evil", "https://127.0.0.1:1@evil.example/",
        "https://app.example.com@evil.example/", "https://app.example.com", "https://app.example.com?x", "https://app.example.com#x",
        "https://APP.example.com/", "HTTPS://app.example.com/", "https://app.example.com:443/", "http://localhost:80/",
        "https://app.example.com./", "https://.app.example.com/", "https://app..example.com/", "https://app.example.com:0/",
        "https://app.example.com:99999/", "https://app.example.com:/", "https://0x7f.1/", "https://2130706433/", "https://127.1/",
        "http://0177.0.0.1/", "https://app.example.com/ x", "https://app.example.com/\n", " https://app.example.com/",
        "https://app.example.com/\u{0}", "https://app.example.com/é", "https://аpp.example.com/", "https://app.example.com/\"",
        "https://app.example.com/<",
        "https://app%2eexample.com/", "https://[::1/", "https://[v1.x]/", "https://app.example.com/" + String(repeating: "x", count: 4096),
    ])
    func `SEC-10 refuses addresses that could be read differently, or not at all`(text: String) { #expect(PageAddress(text) == nil) }
}
