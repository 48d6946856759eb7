@testable import Accounts
import Testing
import Text

@Suite struct RefreshTokenTests {
    private let key = [UInt8](repeating: 7, count: 32)
    private let token = RefreshToken(realmNumber: 100_000_000_001, sessionID: Array(1...16), generation: 3)

    @Test func `reads back what it wrote`() {
        #expect(RefreshToken(token.text(key: key), key: key) == token)
    }

    @Test func `is the same text each time, so that a lost answer can be repeated`() {
        #expect(token.text(key: key) == token.text(key: key))
    }

    @Test func `refuses a token of another server`() {
        #expect(RefreshToken(token.text(key: [UInt8](repeating: 8, count: 32)), key: key) == nil)
    }

    @Test func `knows a token of another server by its form`() {
        let text = token.text(key: key)
        #expect(RefreshToken.isWellFormed(text))
        for other in ["", "x", text + "A", String(text.dropLast()), String(repeating: "A", count: text.utf8.count)] {
            #expect(!RefreshToken.isWellFormed(other), "\(other)")
        }
    }

    @Test func `refuses a token with any character changed`() {
        let text = Array(token.text(key: key))
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(RefreshToken(String(changed), key: key) == nil)
        }
    }

    @Test(arguments: ["", "x", "not base64url!", String(repeating: "A", count: 98), String(repeating: "A", count: 100_000)])
    func `refuses garbage`(text: String) {
        #expect(RefreshToken(text, key: key) == nil)
    }
}
