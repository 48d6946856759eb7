import HTTP
import Testing
import Text

@Suite struct AddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("0.0.0.0", [0, 0, 0, 0]), ("255.255.255.255", [255, 255, 255, 255]),
            ("::", [UInt8](repeating: 0, count: 16)), ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("2001:db8::8:800:200c:417a", [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 8, 8, 0, 0x20, 0x0C, 0x41, 0x7A]),
            ("2001:DB8:0:0:8:800:200C:417A", [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 8, 8, 0, 0x20, 0x0C, 0x41, 0x7A]),
            ("64:ff9b::192.0.2.33", [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 33]), ("::ffff:10.0.0.1", [10, 0, 0, 1]),
        ] as [(String, [UInt8])])
    func `reads an address`(text: String, bytes: [UInt8]) { #expect(Address(text)?.bytes == bytes) }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.0x4", "1.2.3.-4", " 1.2.3.4", "1.2.3.4 ", "2130706433", "1..3.4", ":",
        ":::",
        "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", ":1:2:3:4:5:6:7", "::1%eth0", "[::1]", "1.2.3.4::",
        "::1.2.3", "g::", "١.2.3.4",
    ])
    func `SEC-08 refuses what is not exactly an address`(text: String) { #expect(Address(text) == nil) }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::", "::"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("1:0:0:0:0:0:0:0", "1::"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
    ])
    func `prints the RFC 5952 form`(text: String, printed: String) { #expect(Address(text)?.description == printed) }

    @Test func `SEC-08 limits an IPv6 subscriber by its 64 bit prefix and IPv4 by the address`() throws {
        let one = try #require(Address("2001:db8:1:2:aaaa::1"))
        let two = try #require(Address("2001:db8:1:2:bbbb::2"))
        let other = try #require(Address("2001:db8:1:3::1"))
        #expect(one.limitKey == two.limitKey)
        #expect(one.limitKey != other.limitKey)
        #expect(Address("10.0.0.1")?.limitKey != Address("10.0.0.2")?.limitKey)
    }

    @Test func `takes bytes of a wrong length for the unspecified address`() { #expect(Address(bytes: [1, 2, 3]).description == "::") }

    @Test(arguments: [("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false), ("::2", false)])
    func `knows loopback`(text: String, isLoopback: Bool) { #expect(Address(text)?.isLoopback == isLoopback) }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("0.0.0.0/0", "9.9.9.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false), ("::ffff:10.0.0.0/104", "10.2.3.4", true),
    ])
    func `holds the addresses of a range`(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(CIDR(range)).contains(#require(Address(address))) == isInside)
    }

    @Test(arguments: [
        "10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "/8", "10.0.0.0/8/8", "::/129", "", "10.0.0.0/+8",
    ])
    func `refuses a text that is not a range`(text: String) { #expect(CIDR(text) == nil) }
}
