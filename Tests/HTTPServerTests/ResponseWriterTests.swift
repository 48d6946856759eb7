import HTTP
import Runtime
import Testing

@testable import HTTPServer
import Text

@Suite struct ResponseWriterTests {
    func written(_ response: Response, isHead: Bool = false, keepsAlive: Bool = true, isHTTP10: Bool = false) -> String {
        var time = ServerTime(clock: Clock { Instant(seconds: 784_111_777) })
        time.update(MonotonicTime(nanoseconds: 5_000_000_000))
        let output = ByteBuffer(capacity: 16)
        let bytes = ResponseWriter.write(response, to: output, isHead: isHead, keepsAlive: keepsAlive, isHTTP10: isHTTP10, time: time)
        let text = String(decoding: output.bytes, as: UTF8.self)
        #expect(text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false).last?.utf8.count == bytes)
        return text.replacing("\r\n", with: "|")
    }

    @Test func `writes date and length`() {
        let text = written(Response(headers: ["content-type": "text/plain"], body: Array("hello".utf8)))
        #expect(text == "HTTP/1.1 200 OK|Date: Sun, 06 Nov 1994 08:49:37 GMT|content-type: text/plain|Content-Length: 5||hello")
    }

    @Test func `writes the length but not the body for HEAD`() {
        #expect(written(Response(body: Array("hello".utf8)), isHead: true).hasSuffix("Content-Length: 5||"))
    }

    @Test(arguments: [204, 304]) func `writes neither length nor body where there is none`(status: Int) {
        let text = written(Response(status: status, body: Array("hello".utf8)))
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("GMT||"))
    }

    @Test func `says what becomes of the connection`() {
        #expect(written(Response(), keepsAlive: false).contains("|Connection: close|"))
        #expect(written(Response(), isHTTP10: true).contains("|Connection: keep-alive|"))
        #expect(!written(Response()).contains("Connection"))
    }

    @Test func `SEC-19 leaves framing to the server`() {
        let text = written(
            Response(headers: ["content-length": "9", "transfer-encoding": "chunked", "connection": "x", "date": "y", "keep-alive": "z"]))
        #expect(text == "HTTP/1.1 200 OK|Date: Sun, 06 Nov 1994 08:49:37 GMT|Content-Length: 0||")
    }

    @Test func `writes a status that it has no phrase for`() { #expect(written(Response(status: 418)).hasPrefix("HTTP/1.1 418 |")) }

    @Test func `writes numbers`() {
        let output = ByteBuffer(capacity: 1)
        for number in [0, 9, 10, 99, 100, 1_048_576, Int.max, -5] {
            output.append(decimal: number)
            output.append(" ")
        }
        output.append(hex: 0xDEAD)
        #expect(String(decoding: output.bytes, as: UTF8.self) == "0 9 10 99 100 1048576 \(Int.max) 0 000000000000dead")
    }
}
