@testable import Accounts
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Firebase's refresh tokens, each of which has one session here.
@Suite struct BridgedSessionTests {
    private static let token: UTF8Text = "AMf-vBx7yqJ0p5Yb3cW1"
    private static let dayAgo: Duration = .seconds(86_400)

    @Test func `goes on with the sign-in of there: its time, its way, its second factor, its claims`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        #expect(try await firebase.find(Self.token) == nil)
        let proven = firebase.session(
            "ada", signedIn: Self.dayAgo, secondFactor: SecondFactorProof(kind: "phone", id: "factor-1"),
            claims: ["plan": "gold", "nonce": "reserved"])
        let (account, session) = try await firebase.open(proven, for: Self.token)
        #expect(account.id == "ada" && session.authTime == firebase.now - Self.dayAgo && session.signInProvider == "password")
        let text = try firebase.fixture.idToken(account, try await firebase.refresh(session).1)
        let claims = try UnverifiedJWT.parse(text, as: .ownIDToken).claims
        #expect(claims["firebase"]?["sign_in_second_factor"] == "phone")
        #expect(claims["firebase"]?["second_factor_identifier"] == "factor-1")
        #expect(claims["plan"] == "gold" && claims["nonce"] == nil)
        #expect(claims["auth_time"]?.integer == (firebase.now - Self.dayAgo).seconds)
        let events = try await firebase.fixture.database.query("SELECT action FROM audit_events WHERE account_id = 'ada'")
        #expect(try events.map { try $0.value(as: String.self) } == ["session.bridged"])
    }

    @Test func `SEC-53 one token has one session, however many processes open it at once`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let other = try firebase.fixture.otherProcess()
        let opened = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await firebase.open(
                        firebase.session("ada", signedIn: Self.dayAgo), for: Self.token, of: number.isMultiple(of: 2) ? nil : other
                    ).1.id
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(opened.count == 1)
        #expect(try await firebase.fixture.database.query("SELECT 1 FROM sessions").count == 1)
        #expect(try await firebase.fixture.database.query("SELECT 1 FROM audit_events").count == 1)
    }

    @Test func `shown again before its successor was used, it gives the same successor; used late, it ends the session`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let (_, first) = try await firebase.open(firebase.session("ada", signedIn: Self.dayAgo), for: Self.token)
        firebase.fixture.time.advance(.seconds(20 * 86_400))
        #expect(try await firebase.find(Self.token)?.1.generation == first.generation)
        let (_, second) = try await firebase.refresh(first)
        #expect(second.generation == first.generation + 1)
        firebase.fixture.time.advance(.seconds(31))
        #expect(await refusal { _ = try await firebase.find(Self.token) } == "sessionEnded")
        #expect(await refusal { _ = try await firebase.refresh(second) } == "sessionEnded")
    }

    @Test func `SEC-53 is refused where the account's sessions were ended since, and where it is disabled or gone`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        _ = try await firebase.imported("bob") { $0.disabled = true }
        _ = try await firebase.imported("cyd") { $0.validSince = firebase.now - .seconds(3600) }
        _ = try await firebase.imported("dan") { $0.sessionsEndedAt = firebase.now - .seconds(3600) }
        _ = try await firebase.fixture.database.write(
            "UPDATE accounts SET sessions_ended_at = \(firebase.now - .seconds(3600)) WHERE account_id = 'dan'")
        for (uid, error) in [("bob", "accountDisabled"), ("cyd", "sessionEnded"), ("dan", "sessionEnded"), ("eve", "accountNotFound")] {
            let refused = await refusal { _ = try await firebase.open(firebase.session(uid, signedIn: Self.dayAgo), for: Self.token) }
            #expect(refused == error, "\(uid)")
        }
        #expect(try await firebase.fixture.database.query("SELECT 1 FROM sessions").isEmpty)
        _ = try await firebase.open(firebase.session("cyd", signedIn: .seconds(1800)), for: Self.token)
    }

    @Test func `SEC-53 the session that was revoked stays known until the window has closed, and goes then`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        _ = try await firebase.open(firebase.session("ada", signedIn: Self.dayAgo), for: Self.token)
        _ = try await firebase.fixture.database.write("UPDATE sessions SET ended_at = \(firebase.now), end_reason = 'revoked'")
        let cleanup = Cleanup(
            database: firebase.fixture.database, clock: firebase.fixture.time.clock, retention: Retention(audit: .seconds(86_400)))
        firebase.fixture.time.advance(.seconds(31 * 86_400))
        try await cleanup.run(for: [firebase.fixture.project])
        #expect(await refusal { _ = try await firebase.find(Self.token) } == "sessionEnded")
        firebase.fixture.time.advance(FirebaseFixture.until)
        try await cleanup.run(for: [firebase.fixture.project])
        #expect(try await firebase.find(Self.token) == nil)
    }

    @Test func `a former master key still finds the session of a token`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let (_, session) = try await firebase.open(firebase.session("ada", signedIn: Self.dayAgo), for: Self.token)
        let changed = MasterKey(bytes: Array(33...64), others: [Array(1...32)])
        let fixture = firebase.fixture
        let sessions = Sessions(database: fixture.database, masterKey: changed, clock: fixture.time.clock, refusals: .silent)
        let bridged = BridgedSessions(
            sessions: sessions, limits: fixture.accounts.limits, justInTime: fixture.accounts.justInTime,
            completion: fixture.completion(changed),
            clock: fixture.time.clock, keys: changed.bridgedSessions)
        #expect(try await bridged.find(Self.token, in: fixture.project)?.1.id == session.id)
    }

    @Test func `the same token is another session in another project, and its limit is the address's`() async throws {
        let firebase = try await FirebaseFixture()
        var other = firebase.fixture.project
        other.storageID = "other"
        let bridged = firebase.fixture.accounts.signIn.bridgedSessions
        #expect(bridged.name(of: Self.token, in: firebase.fixture.project) != bridged.name(of: Self.token, in: other))
        other.limits[.migrateSession, .address] = Rate(1, per: .seconds(60))
        try await bridged.charge(in: other, from: Fixture.here)
        let refused = await refusal { try await bridged.charge(in: other, from: Fixture.here) }
        #expect(refused?.hasPrefix("tooManyAttempts") == true)
    }
}
