import HTTP
import Testing

@testable import HTTPServer
import Text

@Suite struct BodyParserTests {
    func said(_ text: String, _ limits: ServerLimits = ServerLimits()) -> [String] {
        let whole = ParserDialogue.feed(text, limits).said
        for size in [1, 3] { #expect(ParserDialogue.feed(text, by: size, limits).said == whole, "cut every \(size)") }
        return whole
    }

    func post(_ fields: String, _ body: String = "") -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)" }

    func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

    @Test(arguments: [
        "abc", "+5", "-1", "-0", "0x5", "0o5", "1_0", "1 0", "5,5", "5, 10", "", "005", "00", "5;", "5.0", "99999999999999999999",
        "\u{663}", "٥",
    ])
    func `SEC-19 refuses a Content-Length that is not a plain number`(value: String) {
        #expect(said(post("Content-Length: \(value)", "hello")) == ["refused 400"])
    }

    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 10", "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5", "TRANSFER-ENCODING: chunked\r\nContent-Length: 0",
        "Transfer-Encoding: gzip\r\nContent-Length: 5",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: , chunked",
        "Transfer-Encoding: chunked,", "Transfer-Encoding:", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: \u{0B}chunked",
    ])
    func `SEC-19 refuses framing that two servers could read in two ways`(fields: String) {
        #expect(said(post(fields, "0\r\n\r\n")) == ["refused 400"])
    }

    @Test(arguments: ["gzip", "xchunked", "identity", "chunked2"]) func `SEC-19 answers 501 to an unknown transfer coding`(coding: String) {
        #expect(said(post("Transfer-Encoding: \(coding)")) == ["refused 501"])
    }

    @Test func `SEC-19 refuses Transfer-Encoding in HTTP-1-0`() {
        #expect(said("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == ["refused 400"])
    }

    @Test(arguments: [
        "5 \r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
        "-1\r\nhello\r\n0\r\n\r\n", "1_0\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n", "g\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
        "5\r\nhello!!\r\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n",
        "FFFFFFFFFFFFFFFF0\r\nhello\r\n", "000000005\r\nhello\r\n0\r\n\r\n", "5;\r\nhello\r\n", "5;;a\r\nhello\r\n",
        "5;bad[=x\r\nhello\r\n", "5;a=\r\nhello\r\n",
        "5;a=\"b\r\nhello\r\n", "5;a=\"\u{1}\"\r\nhello\r\n", "5; a=b\r\nhello\r\n", "5;a =b\r\nhello\r\n", "5;a=\"b\\\"\r\nhello\r\n",
        "0\r\nX y\r\n\r\n", "0\r\n folded\r\n\r\n",
        "0\r\nX: \u{0}\r\n\r\n", "0\r\nX: y\n\r\n",
    ])
    func `SEC-19 refuses a malformed chunked body`(body: String) { #expect(said(chunked(body)) == ["refused 400"]) }

    @Test func `SEC-19 ignores chunk extensions within bounds`() {
        #expect(said(chunked("5;a;b=c;d=\"e;\\\"f\"\r\nhello\r\n0;x\r\n\r\n")) == ["post / hello"])
        #expect(said(chunked("5;\(String(repeating: "a", count: 300))\r\nhello\r\n0\r\n\r\n")) == ["refused 400"])
        let many = String(repeating: "1;\(String(repeating: "a", count: 200))\r\nx\r\n", count: 30)
        #expect(said(chunked(many + "0\r\n\r\n")) == ["refused 400"])
    }

    @Test(arguments: [
        "Content-Length: 50", "Transfer-Encoding: chunked", "Host: evil.example", "Authorization: Bearer evil", "X-Checksum: abc",
    ])
    func `SEC-19 drops trailers`(trailer: String) {
        #expect(said(chunked("5\r\nhello\r\n0\r\n\(trailer)\r\n\r\n") + post("X: 1")) == ["post / hello", "post / [x: 1]"])
    }

    @Test func `waits for what a body promises`() {
        let dialogue = ParserDialogue.feed(post("Content-Length: 10", "hello"))
        #expect(dialogue.said.isEmpty)
        #expect(dialogue.isUnfinished)
        #expect(ParserDialogue.feed(chunked("5\r\nhello\r\n")).said.isEmpty)
        #expect(ParserDialogue.feed(chunked("5\r\nhello\r\n0\r\n")).said.isEmpty)
    }

    @Test func `SEC-19 bounds the request line`() {
        var limits = ServerLimits()
        limits.requestLine = 64
        let fits = "GET /\(String(repeating: "a", count: 49)) HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(said(fits, limits).first?.hasPrefix("get /aaa") == true)
        #expect(said("GET /\(String(repeating: "a", count: 51)) HTTP/1.1\r\nHost: a\r\n\r\n", limits) == ["refused 414"])
        #expect(said(String(repeating: "a", count: 100), limits) == ["refused 414"])
    }

    @Test func `SEC-19 bounds the fields, one, their number and all of them`() {
        var limits = ServerLimits()
        limits.headerBlock = 128
        limits.headerCount = 4
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 200))\r\n\r\n", limits) == ["refused 431"])
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 200))", limits) == ["refused 431"])
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 4) + "\r\n", limits) == ["refused 431"])
        #expect(
            said("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 3) + "\r\n", limits).first?.hasPrefix("get /")
                == true)
        let long = "X: \(String(repeating: "a", count: 50))\r\n"
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\n\(long)\(long)\(long)\r\n", limits) == ["refused 431"])
        #expect(said("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "_: y\r\n", count: 4) + "\r\n", limits) == ["refused 431"])
    }

    @Test func `SEC-19 counts trailers with the fields`() {
        var limits = ServerLimits()
        limits.headerCount = 5
        #expect(said(chunked("0\r\n" + String(repeating: "X: y\r\n", count: 3) + "\r\n"), limits) == ["post /"])
        #expect(said(chunked("0\r\n" + String(repeating: "X: y\r\n", count: 4) + "\r\n"), limits) == ["refused 431"])
    }

    @Test func `SEC-19 bounds the body before it comes`() {
        var limits = ServerLimits()
        limits.body = 8
        #expect(said(post("Content-Length: 8", "12345678"), limits).count == 1)
        #expect(said(post("Content-Length: 9"), limits) == ["refused 413"])
        #expect(said(post("Content-Length: 999999999999999999"), limits) == ["refused 413"])
        #expect(said(chunked("8\r\n12345678\r\n0\r\n\r\n"), limits).count == 1)
        #expect(said(chunked("9\r\n"), limits) == ["refused 413"])
        #expect(said(chunked("8\r\n12345678\r\n1\r\n"), limits) == ["refused 413"])
        #expect(said(chunked("FFFFFFFF\r\n"), limits) == ["refused 413"])
    }

    @Test func `takes a larger body with a bearer token, and no other credential`() {
        var limits = ServerLimits()
        limits.body = 8
        limits.bodyWithBearer = 16
        for fields in ["Authorization: Bearer a", "authorization: bearer a"] {
            #expect(said(post("\(fields)\r\nContent-Length: 16", "0123456789abcdef"), limits).first?.hasPrefix("post /") == true)
            #expect(said(post("\(fields)\r\nContent-Length: 17"), limits) == ["refused 413"])
            #expect(said(post("\(fields)\r\nTransfer-Encoding: chunked", "11\r\n"), limits) == ["refused 413"])
        }
        for fields in ["Authorization: Basic a", "Authorization: Bearers a", "X-Authorization: Bearer a"] {
            #expect(said(post("\(fields)\r\nContent-Length: 9"), limits) == ["refused 413"])
        }
        limits.body = 32
        #expect(said(post("Authorization: Bearer a\r\nContent-Length: 33"), limits) == ["refused 413"])
    }

    @Test func `stays refused`() {
        var dialogue = ParserDialogue.feed("X\r\n")
        dialogue.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(dialogue.said == ["refused 400"])
    }
}
