import HTTP
import Testing
import Text

@Suite struct ThisMachineTests {
    private func isOfThisMachine(_ peer: String, _ headers: Headers) throws -> Bool {
        // `peer` holds the address that a trusted proxy reports; it must not count.
        Request(method: .get, path: "/", headers: headers, peer: .loopback, connectedFrom: try #require(Address(peer))).isOfThisMachine
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
    func `SEC-22 takes a loopback peer for this machine`(peer: String) throws {
        #expect(try isOfThisMachine(peer, ["host": "127.0.0.1:8080"]))
    }

    @Test(arguments: ["128.0.0.1", "10.0.0.1", "::", "0.0.0.0", "203.0.113.9", "::ffff:203.0.113.9", "fe80::1", "::2"])
    func `SEC-22 takes no other peer for this machine, whatever headers say`(peer: String) throws {
        #expect(try !isOfThisMachine(peer, ["host": "127.0.0.1:8080"]))
        #expect(try !isOfThisMachine(peer, ["host": "localhost", "x-forwarded-for": "127.0.0.1", "forwarded": "for=127.0.0.1"]))
    }

    @Test(
        arguments: [
            ["x-forwarded-for": "203.0.113.9"], ["x-forwarded-for": "203.0.113.9, 127.0.0.1"],
            ["x-forwarded-for": "127.0.0.1, 203.0.113.9"],
            ["x-forwarded-for": "127.0.0.1", "x-forwarded-for": "203.0.113.9"], ["x-forwarded-for": "unknown"], ["x-forwarded-for": ""],
            ["forwarded": "for=203.0.113.9"], ["forwarded": "for=127.0.0.1, for=203.0.113.9"], ["forwarded": "proto=https"],
            ["forwarded": "nonsense"], ["forwarded": "for=127.0.0.1", "x-forwarded-for": "203.0.113.9"], ["x-real-ip": "203.0.113.9"],
        ] as [Headers])
    func `SEC-22 does not count what a proxy of this machine brings from elsewhere`(headers: Headers) throws {
        var headers = headers
        headers.add("host", "localhost:8080")
        #expect(try !isOfThisMachine("127.0.0.1", headers))
    }

    @Test(
        arguments: [
            ["x-forwarded-for": "127.0.0.1, ::1"], ["X-Forwarded-Host": "localhost"], ["x-forwarded-proto": "https"], ["x-forwarded": "1"],
            ["forwarded": "for=\"[::1]:4711\";proto=http"], ["x-real-ip": "::1"], ["Via": "1.1 tunnel"], ["x-client-ip": "127.0.0.1"],
            ["cf-connecting-ip": "203.0.113.9"], ["CF-Ray": "1"], ["true-client-ip": "::1"], ["via": ""], ["CDN-Loop": "cloudflare"],
            ["X-Original-Forwarded-For": "::1"], ["X-Original-URL": "/"], ["X-Envoy-External-Address": "::1"],
            ["Tailscale-User-Login": "ada"],
            ["X-Azure-ClientIP": "::1"], ["Cf-Warp-Tag-Id": "1"], ["Fastly-Client-IP": "::1"], ["X-Amzn-Trace-Id": "Root=1"],
        ] as [Headers])
    func `SEC-22 does not count what comes by a proxy at all, whatever that says`(headers: Headers) throws {
        var headers = headers
        headers.add("host", "localhost:8080")
        #expect(try !isOfThisMachine("127.0.0.1", headers))
    }

    @Test func `counts a browser of this machine with all that it sends`() throws {
        let headers: Headers = [
            "host": "localhost:8080", "x-client-version": "Chrome/JsCore/12", "x-firebase-locale": "de", "forwarding": "1", "viaduct": "1",
            "x-original": "1", "cfg": "1", "x-firebase-gmpid": "1:2:web:3",
        ]
        #expect(try isOfThisMachine("127.0.0.1", headers))
    }

    private func serves(_ origin: String, host: String = "localhost:8080") -> Bool {
        ThisMachine.serves(
            origin: UTF8Text(origin), to: Request(method: .get, path: "/", headers: ["host": host], peer: .loopback))
    }

    @Test(arguments: [
        "localhost", "localhost:80", "app.localhost:8080", "LOCALHOST", "127.0.0.1", "127.1.2.3:9", "[::1]:8080", "10.0.2.2:8080",
    ])
    func `knows the names of this machine`(host: String) {
        #expect(ThisMachine.names(host))
        #expect(serves("http://\(host)", host: host))
    }

    @Test(arguments: [
        "rebound.example.com", "rebound.example.com:8080", "localhost.example.com", "notlocalhost", "localhost.", "127.0.0.1.example.com",
        "192.168.1.5:8080", "[2001:db8::1]:80", "2130706433", "0.0.0.0", "", "localhost:80:80", "a@localhost",
    ])
    func `SEC-22 takes no other name for this machine's, since it may be pointed here`(host: String) throws {
        #expect(!ThisMachine.names(host))
        #expect(!serves("http://\(host)"))
        #expect(try !isOfThisMachine("127.0.0.1", ["host": host]))
    }

    @Test func `SEC-22 wants every Host to be this machine's, and one at least`() throws {
        #expect(try !isOfThisMachine("127.0.0.1", [:]))
        #expect(try !isOfThisMachine("127.0.0.1", ["host": "localhost", "host": "example.com"]))
        #expect(!serves("null"))
    }

    @Test func `SEC-22 takes a page of 10.0.2.2 for this machine's only where that address led to this machine`() {
        #expect(serves("http://10.0.2.2:3000", host: "10.0.2.2:8080"))
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", ""] { #expect(!serves("http://10.0.2.2:3000", host: host)) }
        #expect(serves("http://localhost:3000", host: "10.0.2.2:8080"))
    }
}
