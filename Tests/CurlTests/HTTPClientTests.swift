import Glibc
import HTTP
import Testing

@testable import Curl
import Text

@Suite struct HTTPClientTests {
    @Test func `brings back status, header fields and body`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.answer("hello", status: "418 Teapot", headers: "X-One: a\r\nx-one:  b \r\nEmpty:\r\n")
        }
        let response = try await makeClient().send(patient(.get, server.url("/path?x=1")))
        #expect(response.status == 418)
        #expect(response.headers.values("x-one") == ["a", "b"])
        #expect(response.headers["empty"] == "")
        #expect(String(decoding: response.body, as: UTF8.self) == "hello")
    }

    @Test func `sends what it is given, its name, and no Expect`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            if let request = peer.request() { notes.add(request) }
            peer.answer("")
        }
        let form = Array("code=a%26b".utf8)
        let headers: Headers = ["content-type": "application/x-www-form-urlencoded", "accept": "application/json"]
        _ = try await makeClient().send(patient(.post, server.url("/token"), headers: headers, body: form))
        let request = try #require(notes.all.first)
        #expect(request.hasPrefix("POST /token HTTP/1.1\r\n"))
        #expect(request.contains("user-agent: gatehouse\r\n"))
        #expect(request.contains("content-type: application/x-www-form-urlencoded\r\n"))
        #expect(request.contains("accept: application/json\r\n"))
        #expect(!request.lowercased().contains("expect:"))
        #expect(request.hasSuffix("\r\n\r\ncode=a%26b"))
    }

    @Test(arguments: [Method.put, .patch, .delete, .head, .options])
    func `sends other methods`(_ method: Method) async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            if let request = peer.request() { notes.add(String(request.prefix { $0 != " " })) }
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let response = try await makeClient().send(OutboundRequest(method, server.url()))
        #expect(response.status == 204)
        #expect(notes.all.map { $0.lowercased() } == ["\(method)"])
    }

    @Test func `sends an empty body with its length`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            if let request = peer.request() { notes.add(request) }
            peer.answer("")
        }
        _ = try await makeClient().send(patient(.post, server.url(), body: []))
        #expect(try #require(notes.all.first).contains("Content-Length: 0\r\n"))
    }

    @Test func `keeps a connection for the next request`() async throws {
        try await soonEnoughToReuse {
            let server = try ScriptedServer { peer in
                while peer.request() != nil { peer.answer("x") }
            }
            let client = try makeClient()
            for _ in 0..<3 { #expect(try await client.send(patient(.get, server.url())).status == 200) }
            for _ in 0..<3 { #expect(try await client.send(patient(.post, server.url(), body: [1])).status == 200) }
            return server.connections == 1
        }
    }

    @Test func `runs many requests at once`() async throws {
        let server = try ScriptedServer { peer in
            while let request = peer.request() { peer.answer(String(request.split(separator: " ")[1])) }
        }
        let client = try makeClient()
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<100 { group.addTask { try await client.send(patient(.get, server.url("/\(number)"))).body } }
            return try await group.reduce(into: Set<String>()) { $0.insert(String(decoding: $1, as: UTF8.self)) }
        }
        #expect(bodies == Set((0..<100).map { "/\($0)" }))
        #expect(server.connections <= 32)
    }

    @Test func `reads chunked bodies and leaves out trailers`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n")
        }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(String(decoding: response.body, as: UTF8.self) == "abcde")
        #expect(response.headers["x-late"] == nil)
    }

    @Test func `takes the final answer after an interim one`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.send("HTTP/1.1 103 Early Hints\r\nX-Interim: 1\r\n\r\n")
            peer.answer("x")
        }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(response.status == 200)
        #expect(response.headers["x-interim"] == nil)
    }

    @Test func `leaves compressed bodies alone, since it asks for none`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            if let request = peer.request() { notes.add(request.lowercased()) }
            peer.answer("not gzip", headers: "Content-Encoding: gzip\r\n")
        }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(String(decoding: response.body, as: UTF8.self) == "not gzip")
        #expect(!notes.all[0].contains("accept-encoding"))
    }

    @Test func `offers TLS 1.2 and 1.3 and HTTP 2, nothing older`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            guard let hello = peer.read() else { return }
            // supported_versions (RFC 8446 §4.2.1): type 43, length, count, then the versions.
            for index in hello.indices.dropLast(8) where Array(hello[index..<(index + 2)]) == [0, 43] {
                let count = Int(hello[index + 4])
                guard Int(hello[index + 3]) == count + 1 else { continue }
                notes.add(hello[(index + 5)..<(index + 5 + count)].map(String.init).joined(separator: " "))
            }
            notes.add(String(decoding: hello, as: UTF8.self).contains("\u{2}h2") ? "h2" : "no h2")
        }
        let error = await failure(of: patient(.post, "https://127.0.0.1:\(server.port)/", body: []), with: try makeClient())
        #expect(notes.all == ["3 4 3 3", "h2"])
        guard case .notConnected(let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(!reason.isEmpty)
    }

    @Test func `ignores the proxy that the environment names`() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.answer("straight")
        }
        for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
        defer { for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { unsetenv(name) } }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(String(decoding: response.body, as: UTF8.self) == "straight")
    }
}
