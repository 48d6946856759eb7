import HTTP
import Logging
import Runtime
import Testing

@testable import HTTPServer
import Text

@Suite(.serialized) struct HTTPServerTests {
    @Test func `answers one request after another on one connection`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            for path in ["/now", "/then", "/turn", "/now"] {
                let answer = try await client.get(path)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
                #expect(path == "/now" ? answer.hasSuffix("\r\n\r\nnow") : answer.contains("x-path: \(path)\r\n"))
            }
        }
    }

    @Test func `answers pipelined requests in order although the first takes longest`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send(["/wait", "/now", "/turn", "/now"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            await server.gate.arrival()
            server.gate.open()
            var answers: [String] = []
            for _ in 0..<4 { answers.append(try #require(try await client.answer())) }
            #expect(answers.map { $0.hasSuffix("now") } == [false, true, false, true])
            #expect(answers[0].contains("/wait"))
            #expect(answers[2].contains("/turn"))
        }
    }

    @Test func `reads bodies in one piece and in many`() async throws {
        var limits = ServerLimits.patient
        limits.body = 1024 * 1024
        try await TestServer.with(limits) { server in
            let client = try server.client()
            let body = String(repeating: "0123456789", count: 20_000)
            try await client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(try await client.answer()?.hasSuffix("\r\n\r\n" + body) == true)
            for piece in [
                "POST /a HTT", "P/1.1\r\nHo", "st: a\r\nTransfer-Encoding: chunked\r\n", "\r\n5\r", "\nhel", "lo\r\n0\r\n", "\r\n",
            ] {
                try await client.send(piece)
                await Task.yield()
            }
            #expect(try await client.answer()?.hasSuffix("\r\n\r\nhello") == true)
        }
    }

    @Test func `asks for a body that the client holds back`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.answer() == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("hi")
            #expect(try await client.answer()?.hasSuffix("hi") == true)
        }
    }

    @Test func `answers HEAD with the length and without the body`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("HEAD /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.answer(hasBody: false)?.contains("Content-Length: 3\r\n") == true)
            #expect(try await client.get("/now").hasSuffix("now"))
        }
    }

    @Test func `answers OPTIONS for the whole server and methods it does not know`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
            let options = try #require(try await client.answer())
            #expect(options.hasPrefix("HTTP/1.1 204 "))
            #expect(options.contains("allow: GET, HEAD"))
            try await client.send("BREW /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.answer()?.hasPrefix("HTTP/1.1 501 ") == true)
            #expect(try await client.get("/now").hasSuffix("now"))
        }
    }

    @Test(arguments: ["HTTP/1.1\r\nHost: a\r\nConnection: close", "HTTP/1.0"])
    func `closes the connection when the client wants it so`(rest: String) async throws {
        try await TestServer.with { server in
            for path in ["/now", "/turn"] {
                let client = try server.client()
                try await client.send("GET \(path) \(rest)\r\n\r\n")
                #expect(try await client.rest().contains("\r\nConnection: close\r\n"))
            }
        }
    }

    @Test func `answers a client that has finished sending`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            await server.gate.arrival()
            server.gate.open()
            #expect(try await client.rest().contains("/wait"))
        }
    }

    @Test func `sends answers larger than the socket takes, and goes on`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("GET /huge HTTP/1.1\r\nHost: a\r\n\r\nGET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try #require(try await client.answer()).utf8.count > 8_000_000)
            #expect(try await client.answer()?.hasSuffix("now") == true)
        }
    }

    @Test func `survives a client that leaves before its answer`() async throws {
        try await TestServer.with { server in
            try await server.client().send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await server.gate.arrival()
            let client = try server.client()
            #expect(try await client.get("/now").hasSuffix("now"))
            server.gate.open()
            #expect(try await client.get("/turn").contains("/turn"))
            await server.server.stop(grace: .zero)
            #expect(server.accessLog.split(separator: "\n").count { $0.contains("\"route\":\"/any\"") } == 2)
        }
    }

    @Test func `serves one port from several loops`() async throws {
        try await TestServer.with { first in
            let second = HTTPServer(
                loop: try Loop(index: 1), handler: TestHandler(gate: first.gate), metrics: first.metrics,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            #expect(try await second.listen(host: "127.0.0.1", port: first.port) == first.port)
            for _ in 0..<50 { #expect(try await first.client().get("/now").hasSuffix("now")) }
            await second.stop(grace: .zero)
            for _ in 0..<50 { #expect(try await first.client().get("/now").hasSuffix("now")) }
            #expect(first.metrics.text().contains("http_requests_total{route=\"/now\",status=\"200\"} 100\n"))
        }
    }

    @Test func `refuses an address it cannot listen on`() async throws {
        let server = HTTPServer(
            loop: try Loop(index: 0), handler: TestHandler(gate: Gate()), metrics: Metrics(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for (host, port) in [("nowhere.example", 0), ("192.0.2.1", 0), ("127.0.0.1", 65536), ("127.0.0.1", -1)] {
            await #expect(throws: SystemError.self) { try await server.listen(host: host, port: port) }
        }
        await server.stop(grace: .zero)
    }

    @Test func `logs method, route and status and nothing that a client sent`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            _ = try await client.get("/now?key=secret", "Authorization: Bearer secret\r\n")
            try await client.send("secret\r\n")
            _ = try await client.rest()
            // Lines are written at the end of a turn, which may be after the answer has arrived here.
            await server.server.stop(grace: .zero)
            let lines = server.accessLog.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("{\"time\":\"1994-11-06T08:49:37.") == true)
            #expect(lines.first?.contains("\"method\":\"GET\",\"route\":\"/now\",\"status\":200,\"us\":") == true)
            #expect(lines.first?.hasSuffix("\"bytes\":3}") == true)
            #expect(lines.last?.contains("\"method\":\"-\",\"route\":\"-\",\"status\":400") == true)
            #expect(!server.accessLog.contains("secret"))
        }
    }

    @Test func `counts requests by route and status, and open connections`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            for path in ["/now", "/now", "/a", "/b"] { _ = try await client.get(path) }
            let text = server.metrics.text()
            #expect(text.contains("http_requests_total{route=\"/now\",status=\"200\"} 2\n"))
            #expect(text.contains("http_requests_total{route=\"/any\",status=\"200\"} 2\n"))
            #expect(text.contains("http_request_seconds_count{route=\"/now\"} 2\n"))
            #expect(text.contains("http_connections_open 1\n"))
        }
    }
}
