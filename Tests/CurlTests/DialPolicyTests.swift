import HTTP
import Testing

@testable import Curl
import Text

@Suite struct DialPolicyTests {
    @Test(
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1",
            "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
            "240.0.0.1", "255.255.255.255",
        ])
    func `SEC-13 refuses special IPv4 addresses, however they are dressed`(_ text: String) throws {
        let bytes = try #require(Address(text)).bytes
        let zeros = [UInt8](repeating: 0, count: 12)
        #expect(!DialPolicy.production.permits(Address(bytes: bytes), encrypted: true))
        // v4-mapped, v4-compatible, NAT64, 6to4.
        for dressed in [
            zeros[2...] + [0xFF, 0xFF] + bytes, zeros + bytes, [0, 0x64, 0xFF, 0x9B] + zeros[4...] + bytes,
            [0x20, 0x02] + bytes + zeros[2...],
        ] {
            #expect(!DialPolicy.production.permits(Address(bytes: Array(dressed)), encrypted: true), "\(dressed)")
        }
    }

    @Test(
        arguments: [
            [0, 0], [0, 0x64, 0xFF, 0x9B, 0, 1], [0x01, 0x00], [0x20, 0x01, 0x00, 0x00], [0x20, 0x01, 0x01, 0xFF],
            [0x20, 0x01, 0x0D, 0xB8],
            [0x20, 0x02], [0x3F, 0xFF, 0x0F], [0x5F, 0x00], [0xFC, 0x00], [0xFD, 0x00, 0x0E, 0xC2], [0xFE, 0x80], [0xFE, 0xBF],
            [0xFE, 0xC0], [0xFF, 0x02], [0x40],
        ] as [[UInt8]])
    func `SEC-13 refuses special IPv6 addresses`(_ prefix: [UInt8]) {
        let address = Address(bytes: prefix + [UInt8](repeating: 0, count: 15 - prefix.count) + [1])
        #expect(!DialPolicy.production.permits(address, encrypted: true))
    }

    @Test(
        arguments: [
            [1, 1, 1, 1], [9, 255, 255, 255], [11, 0, 0, 0], [100, 63, 255, 255], [100, 128, 0, 0], [126, 255, 255, 255], [128, 0, 0, 0],
            [168, 63, 129, 15], [169, 253, 255, 255], [172, 15, 255, 255], [172, 32, 0, 0], [192, 0, 1, 0], [192, 167, 0, 0],
            [198, 17, 255, 255], [198, 20, 0, 0], [223, 255, 255, 255],
            [0x20, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0x26, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0x2A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8],
        ] as [[UInt8]])
    func `dials public addresses, encrypted only`(_ bytes: [UInt8]) {
        #expect(DialPolicy.production.permits(Address(bytes: bytes), encrypted: true))
        #expect(!DialPolicy.production.permits(Address(bytes: bytes), encrypted: false))
    }

    @Test func `SEC-13 lets an exception through, and only it`() throws {
        let policy = DialPolicy.allowing([try #require(CIDR("10.1.0.0/16"))])
        #expect(policy.permits(Address(bytes: [10, 1, 2, 3]), encrypted: false))
        #expect(policy.permits(Address(bytes: [10, 1, 2, 3]), encrypted: true))
        #expect(!policy.permits(Address(bytes: [10, 2, 2, 3]), encrypted: true))
        #expect(!policy.permits(Address(bytes: [8, 8, 8, 8]), encrypted: false))
    }

    @Test(
        arguments: [
            "", "/path", "example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com", "https://[::ffff:127.0.0.1]/",
            "https:/x",
            "https://", "https:///x", "https://:443/", "https://?x", "https://user@example.com/", "https://user:pass@example.com/",
            "https://example.com@127.0.0.1/", "https://example.com\\@127.0.0.1/", "https://example.com/a b", "https://example.com/\r\nX: y",
            "https://example.com/#x", "https://ex\u{e4}mple.com/", "http://127.0.0.1/", "http://example.com/",
        ])
    func `SEC-13 production takes no other URL than https`(_ url: String) async throws {
        #expect(await failure(of: patient(.get, url), with: try makeClient(allowing: [])) == .refusedURL)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "0.0.0.0", "[::]"])
    func `SEC-13 refuses loopback by every name it has, before a connection is opened`(_ host: String) async throws {
        let server = try ScriptedServer { peer in peer.answer("reached") }
        let request = patient(.get, "https://\(host):\(server.port)/")
        #expect(await failure(of: request, with: try makeClient(allowing: [])) == .refusedAddress)
        #expect(server.connections == 0)
    }

    /// DNS rebinding: a name that passed an earlier check later resolves to another address. Here `localhost` stands for such a name, and
    /// the policy knows only its former address.
    @Test func `SEC-13 checks the address that is dialled, so DNS rebinding gains nothing`() async throws {
        let server = try ScriptedServer { peer in peer.answer("reached") }
        let client = try makeClient(allowing: ["127.0.0.9/32"])
        #expect(await failure(of: patient(.get, "http://localhost:\(server.port)/"), with: client) == .refusedAddress)
        #expect(server.connections == 0)
    }

    @Test func `SEC-13 follows no redirect`() async throws {
        let inner = try ScriptedServer { peer in peer.answer("secret") }
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.answer("", status: "302 Found", headers: "Location: \(inner.url("/"))\r\n")
        }
        let response = try await makeClient().send(patient(.get, server.url()))
        #expect(response.status == 302)
        #expect(inner.connections == 0)
    }

    @Test func `SEC-13 caps the body, announced or not`() async throws {
        let server = try ScriptedServer { peer in
            while let request = peer.request() {
                if request.hasPrefix("GET /announced") {
                    peer.answer("12345678901")
                } else if request.hasPrefix("GET /exact") {
                    peer.answer("1234567890")
                } else {
                    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    for _ in 0..<100 { peer.send("4\r\nabcd\r\n") }
                    peer.send("0\r\n\r\n")
                }
            }
        }
        let client = try makeClient()
        for path in ["/announced", "/streamed"] {
            var request = patient(.get, server.url(path))
            request.maxBytes = 10
            #expect(await failure(of: request, with: client) == .tooLarge)
        }
        var request = patient(.get, server.url("/exact"))
        request.maxBytes = 10
        #expect(try await client.send(request).body.count == 10)
    }

    @Test(arguments: [(fields: 300, bytes: 1), (fields: 100, bytes: 1000), (fields: 1, bytes: 90_000)])
    func `SEC-13 caps the head`(_ fields: Int, _ bytes: Int) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.request()
            peer.answer("x", headers: String(repeating: "X: " + String(repeating: "x", count: bytes) + "\r\n", count: fields))
        }
        #expect(await failure(of: patient(.get, server.url()), with: try makeClient()) == .tooLarge)
    }

    @Test func `a header value cannot become a header field`() async throws {
        let notes = Notes()
        let server = try ScriptedServer { peer in
            if let request = peer.request() { notes.add(request) }
            peer.answer("")
        }
        let request = patient(.get, server.url(), headers: ["authorization": "a\r\nx-evil: 1"])
        _ = try await makeClient().send(request)
        #expect(try #require(notes.all.first).contains("authorization: a  x-evil: 1\r\n"))
    }

    @Test(arguments: ["a\u{1}b", "a\u{7F}"])
    func `refuses header values with control characters`(_ value: String) async throws {
        let request = patient(.get, "http://127.0.0.1:1/", headers: ["authorization": value])
        #expect(await failure(of: request, with: try makeClient()) == .refusedHeader("authorization"))
    }
}
