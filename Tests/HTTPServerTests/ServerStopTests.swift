import Testing

@testable import HTTPServer

@Suite(.serialized) struct ServerStopTests {
    @Test func `closes idle connections and lets requests finish`() async throws {
        try await TestServer.with { server in
            let idle = try server.client()
            _ = try await idle.get("/now")
            let busy = try server.client()
            try await busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await server.gate.arrival()
            async let stopped: Void = server.server.stop(grace: .seconds(60))
            #expect(try await idle.rest() == "")
            #expect(throws: Client.Failure.self) { try server.client() }
            server.gate.open()
            await stopped
            let answer = try await busy.rest()
            #expect(answer.contains("/wait"))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }

    @Test func `waits no longer than it is given`() async throws {
        try await TestServer.with { server in
            let busy = try server.client()
            try await busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await server.gate.arrival()
            await server.server.stop(grace: .milliseconds(10))
            #expect(try await busy.rest() == "")
            server.gate.open()
        }
    }

    @Test func `answers a request that is half in when it stops`() async throws {
        try await TestServer.with { server in
            let client = try server.client()
            try await client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.answer()?.hasPrefix("HTTP/1.1 100 ") == true)
            async let stopped: Void = server.server.stop(grace: .seconds(60))
            try await client.send("half")
            #expect(try await client.rest().hasSuffix("half"))
            await stopped
        }
    }

    @Test func `stops twice and without ever having listened`() async throws {
        try await TestServer.with { server in
            await server.server.stop(grace: .seconds(60))
            await server.server.stop(grace: .seconds(60))
        }
    }
}
