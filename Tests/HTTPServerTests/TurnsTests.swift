import Runtime
import Synchronization
import Testing

@testable import HTTPServer

/// Counts, and does not measure time: how many requests of other clients are answered before the one that came behind them.
@Suite(.serialized) struct TurnsTests {
    private let ahead = 400

    /// The routes in the order of their answers, when `crowd` clients send many requests ahead and one client a single request, all before
    /// the loop reads anything.
    private func order(crowd: Int) async throws -> [Substring] {
        let routes = Mutex<[Substring]>([])
        try await TestServer.with { server in
            let others = try (0..<crowd).map { _ in try server.client() }
            let honest = try server.client()
            for client in others + [honest] { _ = try await client.get("/now") }
            let before = crowd + 1
            let isBusy = Mutex(false)
            let isSent = Mutex(false)
            server.server.loop.execute {
                isBusy.withLock { $0 = true }
                while !isSent.withLock({ $0 }) {}
            }
            while !isBusy.withLock({ $0 }) { await Task.yield() }
            for client in others {
                try await client.send(String(repeating: "GET /now HTTP/1.1\r\nHost: a\r\n\r\n", count: ahead))
            }
            try await honest.send("GET /alone HTTP/1.1\r\nHost: a\r\n\r\n")
            isSent.withLock { $0 = true }
            _ = try await honest.answer()
            for client in others {
                for _ in 0..<ahead { #expect(try await client.answer()?.hasSuffix("now") == true) }
            }
            // The line is written at the end of the turn, after the answer.
            while server.accessLog.split(separator: "\n").count < before + crowd * ahead + 1 { await Task.yield() }
            let lines = server.accessLog.split(separator: "\n").dropFirst(before)
            routes.withLock { $0 = lines.compactMap { $0.split(separator: "\"route\":\"").last?.prefix { $0 != "\"" } } }
        }
        return routes.withLock { $0 }
    }

    @Test func `SEC-75 answers at most sixteen requests of a connection before the others get their turn`() async throws {
        let order = try await order(crowd: 1)
        #expect(order.count == ahead + 1)
        let position = try #require(order.firstIndex(of: "/any"))
        #expect(position <= Turns.most)
    }

    @Test func `SEC-75 gives each of a crowd its turn, and no more than that before one who comes alone`() async throws {
        let order = try await order(crowd: 8)
        #expect(order.count == 8 * ahead + 1)
        let position = try #require(order.firstIndex(of: "/any"))
        #expect(position <= 8 * Turns.most)
    }

    @Test func `answers everything that was sent ahead, in its order, even when others wait`() async throws {
        try await TestServer.with { server in
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients {
                try await client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            }
            for client in clients {
                for number in 0..<100 { #expect(try await client.answer()?.contains("x-path: /\(number)\r\n") == true) }
            }
        }
    }

    @Test func `goes on with a request whose end came in the midst of what was sent ahead`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            let ahead = String(repeating: "GET /now HTTP/1.1\r\nHost: a\r\n\r\n", count: 16)
            try await client.send(ahead + "POST /late HTTP/1.1\r\nHost: a\r\n")
            for _ in 0..<16 { #expect(try await client.answer()?.hasSuffix("now") == true) }
            try await client.send("Content-Length: 3\r\n\r\nend")
            #expect(try await client.answer()?.hasSuffix("\r\n\r\nend") == true)
        }
    }
}
