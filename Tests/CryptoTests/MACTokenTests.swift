import Testing

@testable import Crypto

struct MACTokenTests {
    private let key = [UInt8](repeating: 7, count: 32)
    private let body: [UInt8] = [1, 2, 3]

    @Test func `gives its body back to the key and the version that made it`() {
        let text = MACToken.text(version: 1, body, key: key)
        #expect(MACToken.body(of: text, version: 1, key: key) == body)
        #expect(MACToken.body(of: text, version: 2, key: key) == nil)
        #expect(MACToken.body(of: text, version: 1, key: [UInt8](repeating: 8, count: 32)) == nil)
    }

    @Test func `no bit of it can be changed`() throws {
        let bytes = try #require(Base64URL.decodeStrict(MACToken.text(version: 1, body, key: key)))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            for version in [bytes[0], changed[0]] {
                #expect(MACToken.body(of: Base64URL.encode(changed), version: version, key: key) == nil, "byte \(index)")
            }
        }
    }

    @Test(arguments: ["", "A", "AAAA", "not base64url!"])
    func `reads nothing from a short or strange text`(text: String) {
        #expect(MACToken.body(of: text, version: 0, key: key) == nil)
        #expect(!MACToken.isWellFormed(text, version: 0, bodyCount: 3))
    }

    @Test func `a text of more than 512 bytes is not read`() {
        func isRead(_ count: Int) -> Bool {
            MACToken.body(of: MACToken.text(version: 1, [UInt8](repeating: 1, count: count), key: key), version: 1, key: key) != nil
        }
        #expect(isRead(351) && !isRead(352))
    }

    @Test func `knows its form without the key`() {
        let text = MACToken.text(version: 1, body, key: key)
        #expect(MACToken.isWellFormed(text, version: 1, bodyCount: 3))
        #expect(!MACToken.isWellFormed(text, version: 1, bodyCount: 4) && !MACToken.isWellFormed(text, version: 2, bodyCount: 3))
    }
}
