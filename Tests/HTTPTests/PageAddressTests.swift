import HTTP
import Testing
import Text

/// The addresses of apps' pages.
@Suite struct PageAddressTests {
    @Test(arguments: [
        "https://app.example.com/", "https://app.example.com:8443/a?b=c#/d", "https://app.example.com/a%20b?q={x}|[y]^`\\&z=%zz#{}|\\^'#",
        "https://app.example.com/?filter[a]=1", "https://app.example.com/|[x]%zz", "http://localhost:5000/", "http://127.0.0.1:5000/",
        "http://[::1]:5000/", "https://xn--bcher-kva.example/", "https://app.example.com//evil.example/@x", "http://app.example.com/",
        "https://app.example.com/a.b/..c/.../%2e%2e%2e",
    ])
    func `keeps an address that a browser wrote to the letter`(text: String) throws {
        let page = try #require(URI.ofPage(UTF8Text(text)))
        #expect(page.description == text)
        #expect(text.hasPrefix(page.origin + "/"))
    }

    @Test(arguments: [
        ("https://app.example.com", "https://app.example.com/"), ("https://app.example.com?x", "https://app.example.com/?x"),
        ("https://app.example.com#x", "https://app.example.com/#x"), ("HTTPS://APP.example.com:443/A", "https://app.example.com/A"),
        ("http://localhost:80/", "http://localhost/"), (" https://app.example.com/ ", "https://app.example.com/"),
        ("https://app.example.com/é", "https://app.example.com/%C3%A9"),
        ("https://app.example.com/a b?c d#e f", "https://app.example.com/a%20b?c%20d#e%20f"),
        ("https://app.example.com/{\"<^`>}?'\"<>#\"<`>", "https://app.example.com/%7B%22%3C%5E%60%3E%7D?%27%22%3C%3E#%22%3C%60%3E"),
        ("https://app.example.com/a/../b/./c", "https://app.example.com/b/c"), ("https://app.example.com/a/..", "https://app.example.com/"),
        ("https://app.example.com/../../a/%2E", "https://app.example.com/a/"),
        ("https://app.example.com/a/b/%2e.", "https://app.example.com/a/"),
        ("https://app.example.com/a?..#.", "https://app.example.com/a?..#."),
    ])
    func `writes an address that a developer wrote as a browser would`(text: String, written: String) {
        #expect(URI.ofPage(UTF8Text(text))?.description == written)
        #expect(URI.ofPage(UTF8Text(written))?.description == written)
    }

    @Test(arguments: [
        "", "app.example.com", "//app.example.com/", "/home", "javascript:alert(1)//app.example.com/", "data:text/html,x",
        "ftp://app.example.com/", "https:app.example.com/", "https:/app.example.com/", "https:///app.example.com/",
        "https:\\\\app.example.com/", "https://user@app.example.com/", "https://user:pass@app.example.com/", "https://@app.example.com/",
        "https://evil.example\\@app.example.com/", "https://app.example.com\\@evil.example/", "https://app.example.com/\\evil",
        "https://127.0.0.1:1@evil.example/", "https://app.example.com@evil.example/", "https://app.example.com./",
        "https://.app.example.com/", "https://app..example.com/", "https://app.example.com:0/", "https://app.example.com:99999/",
        "https://app.example.com:/", "https://0x7f.1/", "https://2130706433/", "https://127.1/", "http://0177.0.0.1/",
        "https://app.example.com/\n", "https://app.\nexample.com/", "https://app.example.com/\u{0}", "https://app.example.com/\u{7F}",
        "https://app.example.com/?\tx", "https://аpp.example.com/", "https://app%2eexample.com/", "https://[::1/", "https://[v1.x]/",
        "https://app example.com/",
    ])
    func `SEC-10 refuses addresses that could be read differently, or not at all`(text: String) {
        #expect(URI.ofPage(UTF8Text(text)) == nil)
    }
}
