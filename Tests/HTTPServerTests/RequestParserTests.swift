import HTTP
import Testing

@testable import HTTPServer
import Text

/// Every text is fed as a whole and byte by byte, since it must not matter where the network cuts it.
@Suite struct RequestParserTests {
    func said(_ text: String, _ limits: ServerLimits = ServerLimits()) -> [String] {
        let whole = ParserDialogue.feed(text, limits).said
        for size in [1, 2, 7] { #expect(ParserDialogue.feed(text, by: size, limits).said == whole, "cut every \(size)") }
        return whole
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "get /"),
        ("GET /a/b?c=d&e HTTP/1.1\r\nHost: a:8080\r\nX-Y:  z \t\r\nB:\r\n\r\n", "get /a/b?c=d&e [x-y: z, b: ]"),
        ("GET /v1/accounts%3Alookup HTTP/1.1\r\nHost: a\r\n\r\n", "get /v1/accounts:lookup"),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "get /"),
        ("GET / HTTP/1.0\r\n\r\n", "get / close"),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "get / [connection: Keep-Alive]"),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo , CLOSE\r\n\r\n", "get / [connection: foo , CLOSE] close"),
        ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", "get /"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "options *"),
        ("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "other(\"BREW\") /pot"),
        ("get / HTTP/1.1\r\nHost: a\r\n\r\n", "other(\"get\") /"),
        ("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "get /"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "post / [content-length: 5] hello"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "post / [content-length: 0]"),
        ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", "post /"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "post / hello0123456789"
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "post /"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{E9}\r\n\r\n", "get / [x: caf\u{FFFD}]"),
    ])
    func `reads a request`(text: String, expected: String) { #expect(said(text) == [expected]) }

    @Test func `reads pipelined requests in order`() {
        let text =
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(said(text) == ["get /1", "post /2 [content-length: 2] hi", "get /3"])
    }

    @Test func `reads the target of an absolute form and takes its host for the Host`() {
        for (target, path) in [("http://b:81/x?y", "/x"), ("HTTPS://b:81?y", "/"), ("http://b:81", "/")] {
            let message = ParserDialogue.feed("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").messages.first
            #expect(message?.request.path == path)
            #expect(message?.request.headers.values("host") == ["b:81"])
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "   \r\n\r\n",
    ])
    func `SEC-19 refuses lines that do not end in CRLF`(text: String) { #expect(said(text) == ["refused 400"]) }

    @Test(arguments: [
        "GET\r\n", "GET /\r\n", "GET  / HTTP/1.1\r\n", "GET /  HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n", " GET / HTTP/1.1\r\n",
        "GET\t/ HTTP/1.1\r\n", "GET HTTP/1.1\r\n",
        "GET /a b HTTP/1.1\r\n", "GET / HTTP/1\r\n", "GET / HTTP/01.1\r\n", "GET / HTTP/1.10\r\n", "GET / http/1.1\r\n",
        "GET / HTTP/ 1.1\r\n", "GET / HTTP/1,1\r\n",
        "GET / HTTP/x.1\r\n", "G\u{E9}T / HTTP/1.1\r\n", "G(T / HTTP/1.1\r\n", "GET * HTTP/1.1\r\n", "GET a HTTP/1.1\r\n",
        "GET ftp://a/ HTTP/1.1\r\n", "GET http:// HTTP/1.1\r\n",
        "GET http://u@a/ HTTP/1.1\r\n", "GET http:///x HTTP/1.1\r\n", "GET http\u{1A}\u{0F}\u{0F}a/ HTTP/1.1\r\n", "GET /\0 HTTP/1.1\r\n",
        "GET /\u{E9} HTTP/1.1\r\n",
        "GET /#f HTTP/1.1\r\n", "OPTIONS ** HTTP/1.1\r\n",
    ])
    func `SEC-19 refuses a malformed request line`(line: String) { #expect(said(line + "Host: a\r\n\r\n") == ["refused 400"]) }

    @Test(arguments: ["//", "/%2f", "/a/..;/b", "/%00", "/a/../b", "/%zz", "/a%5cb", "/a."])
    func `SEC-09 refuses a target without one canonical form`(target: String) {
        #expect(said("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == ["refused 400"])
    }

    @Test(arguments: [("GET / HTTP/2.0", 505), ("GET / HTTP/9.9", 505), ("GET / HTTP/0.9", 505), ("CONNECT a:443 HTTP/1.1", 501)])
    func `SEC-19 refuses versions and methods it cannot serve`(line: String, status: Int) {
        #expect(said(line + "\r\nHost: a\r\n\r\n") == ["refused \(status)"])
    }

    @Test(arguments: [
        "X-Test : y", "X Test: y", ": y", "X-Test", " X: y", "\tX: y", "X[: y", "X\u{E9}: y", "X: a\0b", "X: a\u{7F}b", "X: a\u{1}b",
        "X: y\r\n folded", "X:\r\n folded",
        "X: y\r\n\tfolded", "\0: y", "X\0: y", "Content\tLength: 5",
    ])
    func `SEC-19 refuses a malformed field`(field: String) {
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") == ["refused 400"])
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host:\r\n", "Host: \r\n", "Host: a/b\r\n", "Host: u@a\r\n",
        "Host: a, b\r\n", "Host: a b\r\n",
        "Host: a:b\r\n", "Host: a:\r\n", "Host: a:123456\r\n", "Host: :80\r\n", "Host: [::1\r\n", "Host: [x]\r\n", "Host: [::1]x\r\n",
        "Host: a?b\r\n", "Host: \u{E9}\r\n", "Host: a.\r\n", "Host: 0x7f.1\r\n", "Host: a:0\r\n",
    ])
    func `SEC-19 refuses a missing, repeated or malformed Host`(fields: String) {
        #expect(said("GET / HTTP/1.1\r\n\(fields)\r\n") == ["refused 400"])
    }

    @Test func `SEC-19 checks the Host of HTTP-1-0 and of an absolute form too`() {
        #expect(said("GET / HTTP/1.0\r\nHost: a/b\r\n\r\n") == ["refused 400"])
        #expect(said("GET http://a/ HTTP/1.1\r\n\r\n") == ["refused 400"])
    }

    @Test func `SEC-19 drops fields with an underscore, which gateways take for others`() {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nContent_Length: 9\r\nTransfer_Encoding: chunked\r\nX_Forwarded_For: 1.1.1.1\r\n\r\n"
        #expect(said(text) == ["post /"])
    }

    @Test func `refuses unknown expectations and reports the known one while the body is missing`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n"
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n") == ["refused 417"])
        #expect(ParserDialogue.feed(head).isContinueExpected)
        #expect(!ParserDialogue.feed(head + "h").isContinueExpected)
        #expect(!ParserDialogue.feed(head.replacing("HTTP/1.1", with: "HTTP/1.0")).isContinueExpected)
        var dialogue = ParserDialogue.feed(head)
        dialogue.feed("h".utf8)
        #expect(!dialogue.isContinueExpected)
        #expect(ParserDialogue.feed(head + "hi").said.count == 1)
    }
}
