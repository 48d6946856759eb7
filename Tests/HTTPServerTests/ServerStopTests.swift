import TestKit
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

    @Test func `answers a request on a kept connection after the stop has begun, and says that it closes`() async throws {
        try await TestServer.with { server in
            let kept = try server.client()
            _ = try await kept.get("/now")
            async let stopped: Void = server.server.stop(grace: .seconds(60), closingIdleAfter: .seconds(60))
            try await eventually { (try? server.client()) == nil }
            try await kept.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let answer = try await kept.rest()
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("Connection: close\r\n"))
            await stopped
        }
    }

    @Test func `closes a kept connection that stays idle after the stop has begun`() async throws {
        try await TestServer.with { server in
            let kept = try server.client()
            _ = try await kept.get("/now")
            await server.server.stop(grace: .seconds(60), closingIdleAfter: .milliseconds(10))
            #expect(try await kept.rest() == "")
        }
    }

    @Test func `stops twice and without ever having listened`() async throws {
        try await TestServer.with { server in
            await server.server.stop(grace: .seconds(60))
            await server.server.stop(grace: .seconds(60))
        }
    }
}
