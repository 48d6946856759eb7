import HTTP
import Testing

@testable import Curl
import Text

@Suite struct FailureTests {
    @Test func `tries a GET once more when the connection breaks`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            _ = peer.request()
            notes.add("seen")
            if notes.all.count == 1 { return peer.reset() }
            peer.answer("second")
        }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(String(decoding: response.body, as: UTF8.self) == "second")
    }

    @Test func `gives up after the second broken connection`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.reset()
        }
        let error = await failure(of: patient(.get, server.url()), with: try makeClient())
        #expect(error?.isUnreachable == true)
        #expect(server.connections == 2)
    }

    @Test func `never tries a POST again`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.reset()
        }
        let error = await failure(of: patient(.post, server.url(), body: [1]), with: try makeClient())
        #expect(error?.isUnreachable == true)
        #expect(server.connections == 1)
    }

    @Test func `sends a code once even when a kept connection dies under it`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            while let request = peer.request() {
                if request.hasPrefix("POST") {
                    notes.add("code")
                    return
                }
                peer.answer("x")
            }
        }
        let client = try makeClient()
        _ = try await client.send(patient(.get, server.url()))
        let error = await failure(of: patient(.post, server.url(), body: Array("code=1".utf8)), with: client)
        #expect(error?.isUnreachable == true)
        #expect(notes.all == ["code"])
    }

    @Test(arguments: ["", "garbage\r\n\r\n", "HTTP/1.1\r\n\r\n", "\u{0}\u{1}\u{2}", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"])
    func `does not take garbage for an answer`(_ bytes: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.send(bytes)
        }
        let error = await failure(of: patient(.get, server.url()), with: try makeClient())
        #expect(error?.isUnreachable == true)
    }

    @Test func `gives up on silence`() async throws {
        let server = try ScriptedServer { peer in
            while peer.read() != nil {}
        }
        var request = patient(.get, server.url())
        request.timeout = .milliseconds(50)
        #expect(await failure(of: request, with: try makeClient()) == .timedOut)
    }

    @Test func `gives up on an answer that never ends`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun")
            while peer.read() != nil {}
        }
        var request = patient(.get, server.url())
        request.timeout = .milliseconds(50)
        #expect(await failure(of: request, with: try makeClient()) == .timedOut)
    }

    @Test func `reports a refused connection`() async throws {
        let error = await failure(of: patient(.get, "http://127.0.0.1:1/"), with: try makeClient())
        #expect(error.map { if case .notConnected(let reason) = $0 { !reason.isEmpty } else { false } } == true)
    }

    @Test func `stops when its task is cancelled`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        let (begun, begin) = AsyncStream.makeStream(of: Bool.self)
        let server = try ScriptedServer { peer in
            _ = peer.request()
            begin.yield(true)
            while peer.read() != nil {}
            end.yield(true)
        }
        let client = try makeClient()
        let task = Task { await failure(of: patient(.get, server.url()), with: client) }
        for await _ in begun { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        for await _ in ended { break }
    }

    @Test func `starts nothing for a cancelled task`() async throws {
        let server = try ScriptedServer { _ in }
        let client = try makeClient()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(of: patient(.get, server.url()), with: client)
        }
        #expect(await task.value == .cancelled)
        #expect(server.connections == 0)
    }
}

extension OutboundError {
    var isUnreachable: Bool {
        if case .unreachable(let reason) = self { return !reason.isEmpty }
        return false
    }
}
