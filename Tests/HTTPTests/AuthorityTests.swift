import HTTP
import Testing

@Suite struct AuthorityTests {
    @Test(
        arguments: [
            ("a", "a", nil), ("App.Example.com:8080", "app.example.com", 8080), ("a_b.c-d", "a_b.c-d", nil),
            ("127.0.0.1:1", "127.0.0.1", 1),
            ("[::1]", "[::1]", nil), ("[2001:DB8:0::1]:65535", "[2001:db8::1]", 65535), ("1.example", "1.example", nil),
            (String(repeating: "a", count: 63), String(repeating: "a", count: 63), nil),
        ] as [(String, String, Int?)])
    func `reads host and port`(text: String, host: String, port: Int?) throws {
        let read = try #require(Authority.split(Array(text.utf8)[...]))
        #expect(read.host == host)
        #expect(read.port == port)
        #expect(isValid(text))
    }

    @Test(arguments: [
        "", ":80", "a:", "a:0", "a:080", "a:65536", "a:b", "a:1:2", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a b", "a/b", "a@b", "ä",
        "1.2.3", "256.1.1.1",
        "01.2.3.4", "2130706433", "0x7f000001", "a.0X1", "1.2.3.4.5", "::1", "[::1", "[]", "[::1]x", "[1.2.3.4]", "[::ffff:1.2.3.4]",
        "[v1.x]",
        String(repeating: "a", count: 64), String(repeating: "a.", count: 127),
    ])
    func `refuses what is not a host with a port`(text: String) {
        #expect(Authority.split(Array(text.utf8)[...]) == nil)
        #expect(!isValid(text))
    }

    private func isValid(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { Authority.isValid($0) } }
}
