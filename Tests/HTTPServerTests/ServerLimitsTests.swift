import HTTP
import Runtime
import Testing

@testable import HTTPServer
import Text

/// Limits are short here. The tests check that they end a connection, not when.
@Suite(.serialized) struct ServerLimitsTests {
    func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits.patient
        change(&limits)
        return limits
    }

    /// As `TestServer.with`, for a body that returns a result.
    func withServer(_ limits: ServerLimits, _ body: (TestServer) async throws -> Bool) async throws -> Bool {
        var result = false
        try await TestServer.with(limits) { result = try await body($0) }
        return result
    }

    @Test func `SEC-19 answers 400 and closes, although the client goes on sending`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")
            try? await client.send(String(repeating: "x", count: 300_000))
            client.finishSending()
            let answer = try await client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }

    @Test func `SEC-19 answers what came before a refused request`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\nGET /now HTTP/1.1\r\n\r\nGET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            let answers = try await client.rest()
            #expect(answers.hasPrefix("HTTP/1.1 200 "))
            #expect(answers.contains("HTTP/1.1 400 "))
            #expect(answers.split(separator: "HTTP/1.1 ").count == 2)
        }
    }

    @Test(arguments: [
        ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n", 414),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 40_000))\r\n", 431),
        ("GET / HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: 101))", 431),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n", 413),
    ])
    func `SEC-19 answers what is too large`(text: String, status: Int) async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send(text)
            client.finishSending()
            #expect(try await client.rest().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test(arguments: [
        ("POST", "Content-Length: 1048577\r\n\r\n", "too large for /form"),
        ("POST", "Transfer-Encoding: chunked\r\n\r\n100001\r\n", "too large for /form"),
        ("HEAD", "Content-Length: 1048577\r\n\r\n", ""),
    ])
    func `SEC-19 lets the handler say that a body is too large, and ends the connection`(method: String, rest: String, body: String)
        async throws
    {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("\(method) /form HTTP/1.1\r\nHost: a\r\n\(rest)")
            client.finishSending()
            let answer = try await client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("Connection: close\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n\(body)"))
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "G", "\r\n"]) func `SEC-19 answers 408 to a head that does not end`(
        text: String
    ) async throws {
        try await TestServer.withGrowingTime { limit in
            try await withServer(limits { $0.headerRead = limit }) { server in
                let client = try server.client()
                // A client that sends nothing in time is closed without an answer.
                do { try await client.send(text) } catch { return false }
                let answer = try await client.rest()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 408 "))
                #expect(server.metrics.text().contains("http_connections_expired_total 1\n"))
                return !answer.isEmpty
            }
        }
    }

    @Test func `SEC-19 gives a client that drips its head no more time for it`() async throws {
        try await TestServer.withGrowingTime { limit in
            try await withServer(limits { $0.headerRead = limit }) { server in
                let client = try server.client()
                do { try await client.send("GET / HTTP/1.1\r\n") } catch { return false }
                // A byte from time to time, as long as the server takes it; once it has closed, sending throws.
                while !server.metrics.text().contains("http_connections_expired_total 1\n") {
                    do { try await client.send("X") } catch { break }
                    try await Task.sleep(for: limit / 20)
                }
                client.finishSending()
                let answer = (try? await client.rest()) ?? ""
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 408 "))
                return !answer.isEmpty
            }
        }
    }

    @Test func `SEC-19 answers 408 to a body that does not end`() async throws {
        try await TestServer.with(limits { $0.bodyRead = .milliseconds(50) }) { server in
            for head in [
                "Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
                "Transfer-Encoding: chunked\r\n\r\n0\r\nX:",
            ] {
                let client = try server.client()
                try await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(head)")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 408 "))
            }
        }
    }

    @Test func `SEC-19 closes silent connections without a word`() async throws {
        try await TestServer.withGrowingTime { limit in
            try await withServer(limits { ($0.idle, $0.headerRead) = (limit, limit) }) { server in
                #expect(try await server.client().rest() == "")
                let client = try server.client()
                do { try await client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n") } catch { return false }
                guard try await client.answer()?.hasSuffix("now") == true else { return false }
                #expect(try await client.rest() == "")
                return true
            }
        }
    }

    @Test func `does not count the time that a handler takes`() async throws {
        try await TestServer.withGrowingTime { limit in
            try await withServer(limits { ($0.idle, $0.headerRead, $0.bodyRead) = (limit, limit, limit) }) { server in
                let client = try server.client()
                do { try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n") } catch { return false }
                while !server.gate.wasReached {
                    if server.metrics.text().contains("http_connections_expired_total 1\n") { return false }
                    try await Task.sleep(for: .milliseconds(1))
                }
                // When the server has closed a later connection, the time of this one must be over, too.
                let later = try server.client()
                #expect(try await later.rest() == "")
                server.gate.open()
                #expect(try await client.answer()?.contains("/wait") == true)
                return true
            }
        }
    }

    @Test func `SEC-19 closes a client that takes nothing of its answer`() async throws {
        try await TestServer.with(limits { $0.write = .milliseconds(50) }) { server in
            let client = try server.client()
            try await client.send("GET /huge HTTP/1.1\r\nHost: a\r\n\r\n")
            while !server.metrics.text().contains("http_connections_expired_total 1\n") { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try await client.rest().utf8.count < 8_000_000)
        }
    }

    @Test func `SEC-19 reads no further from a client that pipelines without reading`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            let request = "GET /big HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 8000))\r\n\r\n"
            let most = 64_000_000
            let sent = try await client.flood(request, most: most, patience: 500)
            #expect(sent < most)
            for _ in 0..<(sent / request.utf8.count) { #expect(try await client.answer()?.hasSuffix("bbb") == true) }
        }
    }

    @Test func `SEC-19 reads no further from a client that pipelines behind a slow answer`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            let request = "GET /wait HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 8000))\r\n\r\n"
            let most = 64_000_000
            let sent = try await client.flood(request, most: most, patience: 500)
            #expect(sent < most)
            server.gate.open()
            for _ in 0..<(sent / request.utf8.count) { #expect(try await client.answer()?.contains("/wait") == true) }
        }
    }

    @Test func `SEC-19 bounds the connections of one address`() async throws {
        try await TestServer.with(limits { $0.connectionsPerAddress = 2 }) { server in
            var clients = try (0..<2).map { _ in try server.client() }
            for client in clients { #expect(try await client.get("/now").hasSuffix("now")) }
            #expect(try await server.client().rest() == "")
            #expect(server.metrics.text().contains("http_connections_refused_total 1\n"))
            _ = try await clients.removeLast().get("/now", "Connection: close\r\n")
            #expect(try await server.client().get("/now").hasSuffix("now"))
        }
    }

    @Test func `SEC-19 bounds the connections in all`() async throws {
        let proxies = TrustedProxies([try #require(CIDR("127.0.0.0/8"))])
        let limits = limits { ($0.connections, $0.connectionsPerAddress) = (2, 1) }
        try await TestServer.with(limits, trustedProxies: proxies) { server in
            // Both come from a trusted proxy, for which the limit per address must not apply.
            let clients = try (0..<2).map { _ in try server.client() }
            for client in clients { #expect(try await client.get("/now").hasSuffix("now")) }
            #expect(try await server.client().rest() == "")
        }
    }

    @Test func `SEC-08 takes the client's address from a trusted proxy only`() async throws {
        let fields = "X-Forwarded-For: 1.1.1.1, 203.0.113.9\r\nX-Forwarded-Proto: https\r\n"
        try await TestServer.with { server in
            let untrusted = try await server.client().get("/peer", fields)
            #expect(untrusted.hasSuffix("127.0.0.1 false"))
        }
        let proxies = TrustedProxies([try #require(CIDR("127.0.0.0/8"))])
        try await TestServer.with(trustedProxies: proxies) { server in
            let client = try server.client()
            #expect(try await client.get("/peer", fields).hasSuffix("203.0.113.9 true"))
            #expect(try await client.get("/peer", "X-Forwarded-For: 203.0.113.9, what\r\n").hasSuffix("127.0.0.1 false"))
        }
    }
}
