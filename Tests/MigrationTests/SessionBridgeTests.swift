import TestKit
import Testing
import Text

@testable import Migration

@Suite struct SessionBridgeTests {
    @Test(arguments: [
        ("AMf-vBx7yqJ0p5Yb3cW1", true), ("AMf-vBx7yqJ0p5Yb3cW1.and.more", true), ("short", false), ("", false),
        ("AMf-vBx7yqJ0p5Yb3cW1 with spaces", false), ("AMf-vBx7yqJ0p5Yb3cW1\u{0}", false), ("AMf-vBx7yqJ0p5Yb3cWé", false),
    ])
    func `takes for a refresh token of Google's what can be one`(text: String, isPossible: Bool) {
        #expect(SessionBridge.isPossible(UTF8Text(text)) == isPossible)
    }

    @Test func `SEC-51 never takes an ID token for a refresh token`() throws {
        let firebase = try FirebaseFixture()
        #expect(!SessionBridge.isPossible(UTF8Text(try firebase.key.sign(FirebaseFixture.claims()))))
        #expect(!SessionBridge.isPossible(UTF8Text(String(repeating: "A", count: 4097))))
    }
}
