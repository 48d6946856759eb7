import Crypto
import Runtime
import Testing
@testable import WebAuthn

@Suite struct ChallengeTests {
    static let key = [UInt8](repeating: 1, count: 32)
    static let now = Instant(seconds: 1_800_000_000)

    static func context(
        project: String = "p", rpID: String = "example.com", subject: String = "account", flow: String = "", verification: Bool = true
    ) -> Challenge.Context {
        Challenge.Context(
            projectID: project, rpID: rpID, subject: Array(subject.utf8), flow: Array(flow.utf8), requiresUserVerification: verification)
    }

    func verified(
        _ bytes: [UInt8], as kinds: Set<Challenge.Kind> = [.registration], for context: Challenge.Context = context(),
        keys: [[UInt8]] = [key], at now: Instant = now
    ) throws -> Challenge { try Challenge.verified(bytes, as: kinds, for: context, keys: keys, at: now) }

    @Test func `is the same in every base64, and names its end`() throws {
        for _ in 0..<50 {
            let made = Challenge.make(.registration, for: Self.context(), key: Self.key, at: Self.now)
            #expect(made.bytes.count == 33)
            #expect(Base64.encode(made.bytes) == Base64URL.encode(made.bytes))
            #expect(try verified(made.bytes) == made)
            #expect(made.expires == Self.now + .seconds(600))
        }
    }

    @Test func `SEC-40 is refused for anything else than it was made for`() throws {
        let made = Challenge.make(.registration, for: Self.context(), key: Self.key, at: Self.now).bytes
        let others = [
            Self.context(project: "q"), Self.context(rpID: "example.org"), Self.context(subject: "other"), Self.context(subject: ""),
            Self.context(flow: "flow"), Self.context(verification: false),
            // The same bytes, cut at another place.
            Self.context(project: "pexample.com", rpID: ""),
        ]
        for other in others { #expect(throws: CeremonyError.challenge) { try verified(made, for: other) } }
        for kind in Challenge.Kind.allCases where kind != .registration {
            #expect(throws: CeremonyError.challenge) { try verified(made, as: [kind]) }
        }
        #expect(throws: CeremonyError.challenge) { try verified(made, keys: [[UInt8](repeating: 2, count: 32)]) }
        #expect(throws: CeremonyError.challenge) { try verified([]) }
        #expect(throws: CeremonyError.challenge) { try verified(made + [0]) }
    }

    @Test func `SEC-40 is refused when any of its bits is another one`() throws {
        let made = Challenge.make(.signIn, for: Self.context(), key: Self.key, at: Self.now).bytes
        for bit in 0..<(made.count * 8) {
            var changed = made
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CeremonyError.challenge) { try verified(changed, as: [.signIn]) }
        }
    }

    @Test func `expires after ten minutes`() throws {
        let made = Challenge.make(.registration, for: Self.context(), key: Self.key, at: Self.now).bytes
        _ = try verified(made, at: Self.now + .seconds(599))
        #expect(throws: CeremonyError.challenge) { try verified(made, at: Self.now + .seconds(600)) }
    }

    @Test func `is accepted by a former key`() throws {
        let made = Challenge.make(.registration, for: Self.context(), key: Self.key, at: Self.now)
        #expect(try verified(made.bytes, keys: [[UInt8](repeating: 2, count: 32), Self.key]) == made)
    }

    @Test func `is drawn at every time, also when the clock's bytes have no fitting base64`() {
        for seconds in stride(from: Int64(1_700_000_000), to: 4_200_000_000, by: 77_777_777) {
            #expect(Challenge.make(.signIn, for: Self.context(), key: Self.key, at: Instant(seconds: seconds)).bytes.count == 33)
        }
    }

    @Test func `makes user handles of 24 bytes that read the same in every base64`() {
        for _ in 0..<50 {
            let handle = PlainBase64.random(24)
            #expect(Base64.encode(handle) == Base64URL.encode(handle))
            #expect(handle.count == 24)
        }
    }
}
