@testable import Accounts
import Crypto
import JOSE
import JSON
import Logging
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct SigningKeyStoreTests {
    @Test func `makes the first keys once, when several processes start at the same time`() async throws {
        let fixture = try await Fixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await fixture.keyStore.load(into: SigningKeys()) } }
            try await group.waitForAll()
        }
        #expect(try await fixture.keyStore.list().map(\.algorithm) == ["ES256", "RS256", "RS256"])
    }

    @Test func `publishes a rotated key at once and signs with it after the overlap`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let new = try await fixture.keyStore.rotate(.rs256).kid
        try await fixture.keyStore.load(into: fixture.keys)
        #expect(String(decoding: fixture.keys.published.jwks, as: UTF8.self).contains(new))
        let (account, session, _) = try await fixture.signIn(Fixture.ada())
        func kid() throws -> String? {
            let token = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project)
            let header = try #require(Base64URL.decodeStrict(token.split(separator: ".")[0]))
            return try JSON.parse(header)["kid"]?.string?.asString
        }
        let old = try kid()
        #expect(old != new)
        fixture.time.advance(SigningKeyStore.overlap + .seconds(1))
        #expect(try kid() == new)
        fixture.time.advance(SigningKeyPurpose.idToken.retention)
        try await fixture.keyStore.load(into: fixture.keys)
        #expect(!String(decoding: fixture.keys.published.jwks, as: UTF8.self).contains(old ?? ""))
    }

    @Test func `makes one key when many rotate at the same time`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let keys = try await fixture.keyStore.list().count
        let outcomes = await withTaskGroup(of: Result<String, any Error>.self) { group in
            for _ in 0..<10 {
                group.addTask { do { return .success(try await fixture.keyStore.rotate(.es256).kid) } catch { return .failure(error) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let made = outcomes.compactMap { try? $0.get() }
        #expect(made.count == 1)
        let refused = outcomes.compactMap { if case .failure(let error as RotationWaits) = $0 { error.kid } else { nil } }
        #expect(refused == Array(repeating: made.first, count: 9).compactMap(\.self))
        #expect(try await fixture.keyStore.list().count == keys + 1)
    }

    @Test func `makes no key while another process changes them`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        var settings = TestDatabase.settings
        // A fifth of it is how long the lock is waited for.
        settings.statementTimeout = .seconds(5)
        let impatient = SigningKeyStore(
            database: try TestDatabase.open(fixture.url, settings), masterKey: fixture.masterKey, clock: fixture.time.clock)
        let before = try await fixture.keyStore.list().count
        try await fixture.database.transaction { transaction in
            _ = try await transaction.query(SigningKeyStore.lock)
            await #expect(throws: RotationUnderWay.self) { try await impatient.rotate(.es256) }
        }
        #expect(try await fixture.keyStore.list().count == before)
        try await impatient.rotate(.es256)
    }

    @Test func `withdraws a compromised key at once`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let (account, session, _) = try await fixture.signIn(Fixture.ada())
        let token = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project)
        try await fixture.keyStore.rotate(.rs256, compromised: true)
        try await fixture.keyStore.load(into: fixture.keys)
        await #expect { try await fixture.accounts.idTokens.account(of: token, in: fixture.project) } throws: {
            if case AccountError.invalidIDToken = $0 { true } else { false }
        }
    }

    @Test func `does not start with another master key`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let other = SigningKeyStore(database: fixture.database, masterKey: MasterKey(bytes: Array(2...33)), clock: fixture.time.clock)
        await #expect { try await other.load(into: SigningKeys()) } throws: { if case AccountError.sealBroken = $0 { true } else { false } }
    }

    @Test func `makes no missing key with another master key`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let table = SigningKeyPurpose.sessionCookie.table
        _ = try await fixture.database.write("DELETE FROM \(table)")
        let other = SigningKeyStore(database: fixture.database, masterKey: MasterKey(bytes: Array(2...33)), clock: fixture.time.clock)
        await #expect { try await other.load(into: SigningKeys()) } throws: { if case AccountError.sealBroken = $0 { true } else { false } }
        #expect(try await fixture.database.query("SELECT 1 FROM \(table)").isEmpty)
        try await fixture.keyStore.load(into: fixture.keys)
        #expect(try await fixture.keyStore.list().count == 3)
    }

    @Test func `says that a key is not loaded, or that its algorithm is unknown, and does not blame the master key`() async throws {
        let fixture = try await Fixture()
        let (account, session, _) = try await fixture.signIn(Fixture.ada())
        func logged(_ work: () async throws -> Void) async -> String? {
            do { try await work() } catch { return (error as? AccountError)?.logDetail }
            return nil
        }
        let missing = await logged { _ = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project) }
        #expect(missing == "no RS256 signing key is loaded")

        let kid = try await fixture.keyStore.rotate(.rs256).kid
        _ = try await fixture.database.write(all: [
            "ALTER TABLE signing_keys DROP CONSTRAINT signing_keys_algorithm_check", "UPDATE signing_keys SET algorithm = 'none'",
        ])
        let unknown = await logged { try await fixture.keyStore.load(into: SigningKeys()) }
        #expect(unknown == "database: unexpected column: algorithm of signing key \(kid)")
    }

    @Test func `signs at once with a key that was rotated in before the first start`() async throws {
        let fixture = try await Fixture()
        let kid = try await fixture.keyStore.rotate(.rs256).kid
        try await fixture.keyStore.load(into: fixture.keys)
        let token = try fixture.keys.signer(for: .rs256, at: fixture.time.clock.now()).sign(claims: Array("{}".utf8))
        #expect(try UnverifiedJWT.parse(token, as: .ownIDToken).kid == UTF8Text(kid))
    }

    @Test func `adds no key with another master key`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let other = SigningKeyStore(database: fixture.database, masterKey: MasterKey(bytes: Array(2...33)), clock: fixture.time.clock)
        await #expect { try await other.rotate(.rs256) } throws: { if case AccountError.sealBroken = $0 { true } else { false } }
        #expect(try await fixture.keyStore.list().count == 3)
    }

    @Test func `refuses a second rotation while the key of the first one waits, unless the key leaked`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let (first, signsFrom) = try await fixture.keyStore.rotate(.rs256)
        #expect(signsFrom == fixture.time.clock.now() + SigningKeyStore.overlap)
        await #expect { try await fixture.keyStore.rotate(.rs256) } throws: {
            ($0 as? RotationWaits).map { $0.kid == first && $0.signsFrom == signsFrom } ?? false
        }
        #expect(try await fixture.keyStore.list().count == 4)
        // Keys of another algorithm or purpose wait for themselves.
        try await fixture.keyStore.rotate(.es256)
        try await fixture.keyStore.rotate(.rs256, for: .sessionCookie)
        let (leaked, atOnce) = try await fixture.keyStore.rotate(.rs256, compromised: true)
        #expect(leaked != first && atOnce == fixture.time.clock.now())
        try await fixture.keyStore.rotate(.rs256)
        fixture.time.advance(SigningKeyStore.overlap)
        try await fixture.keyStore.rotate(.rs256)
    }

    @Test func `records each rotation among the events of all projects`() async throws {
        let fixture = try await Fixture()
        try await fixture.keyStore.load(into: fixture.keys)
        let (kid, _) = try await fixture.keyStore.rotate(.rs256)
        try await fixture.keyStore.rotate(.es256, compromised: true)
        let events = try await AuditEvents(database: fixture.database).list(limit: 10, in: AuditEvents.server)
        #expect(events.map(\.action) == ["signingKey.rotated", "signingKey.rotated"])
        #expect(events.allSatisfy { $0.actorKind == "command" && $0.actor == "keys rotate" && $0.accountID == nil })
        #expect(events[0].details.contains(kid) && !events[0].details.contains("compromised"))
        #expect(events[1].details.contains(#""algorithm": "ES256""#) && events[1].details.contains("compromised"))
        #expect(try await AuditEvents(database: fixture.database).list(limit: 10, in: "demo").isEmpty)
    }
}
