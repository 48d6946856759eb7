import Runtime
import Testing

@testable import Accounts

@Suite struct SigningKeyStatusTests {
    private func key(_ kid: String, from: Int64, retires: Int64? = nil, _ algorithm: String = "RS256") -> SigningKeyStore.Entry {
        SigningKeyStore.Entry(
            kid: kid, algorithm: algorithm, createdAt: Instant(seconds: 0), signsFrom: Instant(seconds: from),
            retiresAt: retires.map(Instant.init(seconds:)))
    }

    private func statuses(_ keys: [SigningKeyStore.Entry], at now: Int64) -> [SigningKeyStore.Status] {
        SigningKeyStore.statuses(of: keys, at: Instant(seconds: now)).map(\.status)
    }

    @Test func `the only key signs`() {
        #expect(statuses([key("a", from: 10)], at: 20) == [.signs(since: Instant(seconds: 10), until: nil)])
        #expect(statuses([key("a", from: 10)], at: 5) == [.signs(since: Instant(seconds: 10), until: nil)])
    }

    @Test func `after a rotation the new key waits, then signs, and the old one verifies until it retires`() {
        let keys = [key("old", from: 10, retires: 300), key("new", from: 100), key("other", from: 20, "ES256")]
        let other = SigningKeyStore.Status.signs(since: Instant(seconds: 20), until: nil)
        #expect(
            statuses(keys, at: 50) == [
                .signs(since: Instant(seconds: 10), until: Instant(seconds: 100)), .waits(signsFrom: Instant(seconds: 100)), other,
            ])
        #expect(
            statuses(keys, at: 100) == [
                .verifies(until: Instant(seconds: 300)), .signs(since: Instant(seconds: 100), until: nil), other,
            ])
        #expect(statuses(keys, at: 300).first == .retired(since: Instant(seconds: 300)))
    }
}
