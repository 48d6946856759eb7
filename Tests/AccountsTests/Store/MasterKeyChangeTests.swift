@testable import Accounts
import Crypto
import Identity
import JOSE
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// The master key is changed in steps: first both are listed with the former one in front, then the new one is in front, then it is alone.
@Suite struct MasterKeyChangeTests {
    /// The key of `Fixture`.
    private static let former = Array<UInt8>(1...32)
    private static let new = Array<UInt8>(101...132)
    private let both = MasterKey(bytes: new, others: [former])
    private let alone = MasterKey(bytes: new)

    private func sessions(_ fixture: Fixture, _ key: MasterKey) -> Sessions {
        Sessions(database: fixture.database, masterKey: key, clock: fixture.time.clock, refusals: .silent)
    }

    private func refresh(_ token: String, _ fixture: Fixture, _ key: MasterKey) async throws -> String {
        let sessions = sessions(fixture, key)
        return sessions.refreshToken(for: try await sessions.refresh(token, in: fixture.project).1, in: fixture.project)
    }

    private func reseal(_ fixture: Fixture, _ key: MasterKey) async throws -> Reseal.Outcome {
        try await Reseal(database: fixture.database, masterKey: key, clock: fixture.time.clock).run()
    }

    @Test func `keeps all sessions, whichever key is in front`() async throws {
        let fixture = try await Fixture()
        let (_, session, _) = try await fixture.signIn(Fixture.ada())
        let first = fixture.sessions.refreshToken(for: session, in: fixture.project)
        let second = try await refresh(first, fixture, both)
        let prepared = MasterKey(bytes: Self.former, others: [Self.new])
        let third = try await refresh(second, fixture, prepared)
        let fourth = try await refresh(third, fixture, both)
        let fifth = try await refresh(fourth, fixture, alone)
        #expect(Set([first, second, third, fourth, fifth]).count == 5)
    }

    @Test func `the session of a key that is not listed any more is over`() async throws {
        let fixture = try await Fixture()
        let (_, session, _) = try await fixture.signIn(Fixture.ada())
        let token = fixture.sessions.refreshToken(for: session, in: fixture.project)
        await #expect { try await refresh(token, fixture, alone) } throws: {
            if case AccountError.sessionEnded = $0 { true } else { false }
        }
    }

    @Test func `a session has moved once its client shows a token of the new key, and not before`() async throws {
        let fixture = try await Fixture()
        let (_, session, _) = try await fixture.signIn(Fixture.ada())
        let first = fixture.sessions.refreshToken(for: session, in: fixture.project)
        #expect(try await reseal(fixture, both).sessions == 1)
        let second = try await refresh(first, fixture, both)
        // The answer may be lost; then the token of the former key comes again.
        #expect(try await reseal(fixture, both).sessions == 1)
        _ = try await refresh(second, fixture, both)
        #expect(try await reseal(fixture, both).sessions == 0)
        #expect(try await reseal(fixture, both).isDone)
    }

    @Test func `seals signing keys and deliveries anew, and counts what ends by itself`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let mail = OutgoingMail(.verifyEmail, to: "ada@example.com", language: "en", link: "https://a.example/?oobCode=sesame")
        let expires = fixture.time.clock.now() + .seconds(3600)
        let mails = (0..<(Reseal.piece + 3)).map { _ in
            fixture.outbox.enqueue(mail, until: expires, for: Random.bytes(32), in: fixture.project)
        }
        let message = OutgoingLogout(clientID: "site", issuer: "https://auth.example.com/demo", subject: "ada", sid: "s")
        _ = try await fixture.database.write(all: mails + [fixture.deliveries.insert(message, in: fixture.project)])
        let start = SignInStart(
            providerID: "oidc.acme", kind: .client, sessionHash: SessionBinding.hash(atRedemption: "s"), redirectURI: "https://a.example/cb"
        )
        let started = fixture.flows.prepare(start, in: fixture.project)
        try await fixture.flows.store(started, start)

        for (signingKeys, deliveries) in [(3, Reseal.piece + 4), (0, 0)] {
            let outcome = try await reseal(fixture, both)
            #expect(outcome.rows(.signingKeys) == signingKeys)
            #expect(outcome.rows(.deliveries) == deliveries)
            #expect(outcome.flows == 1 && outcome.flowsEnd == fixture.time.clock.now() + SignInFlow.timeToReturn)
            #expect(!outcome.isDone)
        }
        let flows = SignInFlows(database: fixture.database, masterKey: both, clock: fixture.time.clock)
        #expect(try await flows.waiting(started.state)?.secrets.codeVerifier == started.flow.secrets.codeVerifier)

        fixture.time.advance(SignInFlow.timeToReturn)
        #expect(try await reseal(fixture, both).isDone)
        try await SigningKeyStore(database: fixture.database, masterKey: alone, clock: fixture.time.clock).load(into: SigningKeys())
        let outbox = Outbox(Deliveries(database: fixture.database, masterKey: alone, clock: fixture.time.clock))
        let (claimed, unreadable) = try await outbox.claim(10, in: "demo")
        #expect(claimed.map(\.payload) == Array(repeating: mail, count: 10))
        #expect(unreadable == 0)
        #expect(try await outbox.deliveries.claim(OutgoingLogout.self, 10, in: "demo").found.map(\.payload) == [message])
    }

    @Test func `pending tokens and one-time codes of the former key are good for as long as they last`() async throws {
        let fixture = try await Fixture()
        let pending = fixture.pendingTokens.issue([1, 2, 3], about: nil, proof: nil, in: fixture.project)
        let later = PendingTokens(database: fixture.database, masterKey: both, clock: fixture.time.clock)
        #expect(try await later.redeem(pending, in: fixture.project).answer == [1, 2, 3])

        let (flow, code) = try await fixture.answeredFlow([4, 5])
        let flows = SignInFlows(database: fixture.database, masterKey: both, clock: fixture.time.clock)
        let (_, answer) = try await flows.redeem(
            flowID: flow.id, code, sessionID: "s", page: "https://app.example.com/cb", isHandler: false, in: fixture.project
        )
        #expect(answer == [4, 5])
    }

    @Test func `tells what no listed key opens`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let outcome = try await reseal(fixture, MasterKey(bytes: Self.new, others: [Array(51...82)]))
        #expect(outcome.unreadable == 3)
        #expect(!outcome.isDone)
    }

    @Test func `finds the signing keys that no listed key opens, whatever schema the database has`() async throws {
        let fixture = try await Fixture()
        func unopened(_ key: MasterKey) async throws -> [String] {
            try await Inspection(database: fixture.database, masterKey: key, clock: fixture.time.clock).unopenedKeys()
        }
        #expect(try await unopened(alone).isEmpty, "a new database has no keys")
        try await fixture.keyStore.load(into: SigningKeys())
        #expect(try await unopened(both).isEmpty)
        #expect(try await Set(unopened(alone)) == Set(fixture.keyStore.list().map(\.kid)))
        _ = try await fixture.database.write("DROP TABLE session_cookie_keys")
        #expect(try await unopened(alone).count == 2)
        _ = try await fixture.database.write("DROP TABLE signing_keys")
        #expect(try await unopened(alone).isEmpty)
    }
}
