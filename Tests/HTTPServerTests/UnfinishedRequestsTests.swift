import HTTPServer
import Runtime
import Testing

/// `limits.unfinished`: the memory of all requests that are not answered yet.
extension ServerLimitsTests {
    @Test func `SEC-19 bounds what incomplete requests hold in memory`() async throws {
        try await TestServer.with(limits { $0.unfinished = 10_000 }) { server in
            let clients = try (0..<3).map { _ in try server.client() }
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n"
            let part = String(repeating: "x", count: 4000)
            for client in clients { try await client.send(head + part) }
            let refused = try #require(clients.last)
            refused.finishSending()
            #expect(try await refused.rest().hasPrefix("HTTP/1.1 503 "))
            for client in clients.dropLast() {
                try await client.send(String(repeating: "x", count: 5000))
                #expect(try await client.answer()?.hasPrefix("HTTP/1.1 200 ") == true)
            }
            let again = try server.client()
            try await again.send(head + part)
            try await again.send(String(repeating: "x", count: 5000))
            #expect(try await again.answer()?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test func `SEC-19 counts the bodies of requests that are being answered, and no longer`() async throws {
        try await TestServer.with(limits { $0.unfinished = 10_000 }) { server in
            let body = "Content-Length: 8000\r\n\r\n" + String(repeating: "x", count: 8000)
            let slow = try server.client()
            try await slow.send("POST /wait HTTP/1.1\r\nHost: a\r\n" + body)
            await server.gate.arrival()
            #expect(try await isPartRefused(by: server))
            server.gate.open()
            #expect(try await slow.answer()?.hasPrefix("HTTP/1.1 200 ") == true)
            let again = try server.client()
            try await again.send(Self.part)
            try await again.send(String(repeating: "x", count: 1000))
            #expect(try await again.answer()?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test func `SEC-19 counts the body of a request whose client has gone until its answer is made`() async throws {
        try await TestServer.with(limits { $0.unfinished = 10_000 }) { server in
            let gone = try server.client()
            try await gone.send("POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 8000\r\n\r\n" + String(repeating: "x", count: 8000))
            await server.gate.arrival()
            gone.reset()
            while server.metrics.text().contains("http_connections_open 1\n") { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await isPartRefused(by: server))
            server.gate.open()
        }
    }

    /// All but the last 1,000 bytes of a request.
    private static let part = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "x", count: 4000)

    private func isPartRefused(by server: TestServer) async throws -> Bool {
        let client = try server.client()
        try await client.send(Self.part)
        client.finishSending()
        return try await client.rest().hasPrefix("HTTP/1.1 503 ")
    }
}
