import Accounts
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

    @Test func `one request asks Google about a token, and the others get what came of it`() async throws {
        let inFlight = ExchangesInFlight()
        guard case .first = await inFlight.turn([1]) else { throw Unexpected() }
        guard case .first = await inFlight.turn([2]) else { throw Unexpected() }
        let others = (0..<3).map { _ in Task { await inFlight.turn([1]) } }
        try await eventually { inFlight.waiting(for: [1]) == 3 }
        inFlight.end([1], .failure(.formerIssuerUnavailable("down")))
        for other in others {
            guard case .after(.failure(.formerIssuerUnavailable)?) = await other.value else { throw Unexpected() }
        }
        guard case .first = await inFlight.turn([1]) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}
}
