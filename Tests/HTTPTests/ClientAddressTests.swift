import HTTP
import Testing
import Text

@Suite struct ClientAddressTests {
    func proxies(_ header: TrustedProxies.Header) -> TrustedProxies {
        TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap { CIDR($0) }, header: header)
    }

    func client(_ peer: String, _ headers: Headers, by header: TrustedProxies.Header = .forwardedFor) throws -> String {
        ClientAddress.resolve(peer: try #require(Address(peer)), headers: headers, trusted: proxies(header)).address.description
    }

    @Test(
        arguments: [
            ["x-forwarded-for": "203.0.113.9"], ["forwarded": "for=203.0.113.9"],
            ["x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"],
        ] as [Headers])
    func `SEC-08 ignores forwarded headers of an untrusted peer`(headers: Headers) throws {
        let peer = try #require(Address("198.51.100.1"))
        #expect(
            ClientAddress.resolve(peer: peer, headers: headers, trusted: proxies(.forwardedFor))
                == ClientAddress.resolve(peer: peer, headers: [:], trusted: TrustedProxies()))
        #expect(try client("198.51.100.1", headers) == "198.51.100.1")
        #expect(try client("198.51.100.1", headers, by: .forwarded) == "198.51.100.1")
    }

    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9"), ("1.1.1.1, 203.0.113.9", "203.0.113.9"), ("1.1.1.1,203.0.113.9, 10.1.1.1", "203.0.113.9"),
        ("10.9.9.9, 10.1.1.1", "10.9.9.9"), ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:203.0.113.9", "203.0.113.9"), ("nonsense, 203.0.113.9", "203.0.113.9"), ("203.0.113.9,", "203.0.113.9"),
        ("203.0.113.9, , 10.1.1.1 ,", "203.0.113.9"), (",203.0.113.9", "203.0.113.9"),
    ])
    func `SEC-08 takes the rightmost untrusted address of X-Forwarded-For`(value: String, expected: String) throws {
        #expect(try client("10.0.0.1", ["x-forwarded-for": value]) == expected)
    }

    @Test(arguments: [
        "nonsense", "203.0.113.9, nonsense", ",", " , ", "203.0.113.9, unknown", "0xCB007109", "203.0.113.9:", "203.0.113.9:x",
        "203.0.113.9:123456",
        "[203.0.113.9]", "[2001:db8::1", "2001:db8::1%eth0", "203.0.113.9 10.1.1.1", "203.0.113.09",
    ])
    func `SEC-08 falls back to the peer when X-Forwarded-For cannot be read`(value: String) throws {
        #expect(try client("10.0.0.1", ["x-forwarded-for": value]) == "10.0.0.1")
    }

    @Test func `SEC-08 reads repeated headers as one list`() throws {
        #expect(try client("10.0.0.1", ["x-forwarded-for": "203.0.113.9", "x-forwarded-for": "203.0.113.10"]) == "203.0.113.10")
    }

    @Test(arguments: [
        ("for=203.0.113.9", "203.0.113.9"), ("For=\"[2001:db8::1]:4711\";proto=https;by=10.0.0.1", "2001:db8::1"),
        ("for=1.1.1.1, for=203.0.113.9;host=a", "203.0.113.9"), ("for=203.0.113.9, for=10.3.3.3", "203.0.113.9"),
        ("for=203.0.113.9,", "203.0.113.9"), (", for=203.0.113.9 , ,for=10.3.3.3", "203.0.113.9"),
    ])
    func `SEC-08 takes the rightmost untrusted address of Forwarded`(value: String, expected: String) throws {
        #expect(try client("fd00::1", ["forwarded": value], by: .forwarded) == expected)
    }

    @Test(arguments: [
        "for=unknown", "for=_hidden", "proto=https", "for=203.0.113.9;for=1.1.1.1", "for", "for=", "for=\"203.0.113.9",
        "for=\"203.0.113.\\9\"",
        "for=203.0.113.9 x", "for=203.0.113.9;", ",", "for=203.0.113.9;, for=10.3.3.3",
    ])
    func `SEC-08 falls back to the peer when Forwarded cannot be read`(value: String) throws {
        #expect(try client("10.0.0.1", ["forwarded": value], by: .forwarded) == "10.0.0.1")
    }

    @Test(arguments: ["for=198.51.100.7", "garbage", "for=203.0.113.9", ""])
    func `SEC-08 hides no client by a header that the proxies do not set`(written: String) throws {
        #expect(try client("10.0.0.1", ["forwarded": written, "x-forwarded-for": "203.0.113.9"]) == "203.0.113.9")
        let other: Headers = ["forwarded": "for=203.0.113.9", "x-forwarded-for": written]
        #expect(try client("10.0.0.1", other, by: .forwarded) == "203.0.113.9")
        #expect(try client("10.0.0.1", ["forwarded": written]) == "10.0.0.1")
    }

    @Test func `tells https by the header of the nearest trusted proxy`() throws {
        let peer = try #require(Address("10.0.0.1"))
        func isSecure(_ headers: Headers, by header: TrustedProxies.Header = .forwardedFor) -> Bool {
            ClientAddress.resolve(peer: peer, headers: headers, trusted: proxies(header)).isSecure
        }
        #expect(isSecure(["x-forwarded-proto": "https"]))
        #expect(!isSecure(["x-forwarded-proto": "https"], by: .forwarded))
        #expect(isSecure(["forwarded": "for=203.0.113.9;proto=HTTPS"], by: .forwarded))
        #expect(!isSecure(["forwarded": "for=203.0.113.9;proto=https"]))
        #expect(!isSecure(["x-forwarded-proto": "https, http"]))
        #expect(!isSecure([:]))
    }
}
