@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Service accounts that lose their key or their right while a call of theirs is under way.
@Suite(.takesTurns) struct AdministratorStandingTests {
    private struct BackEnd {
        let fixture: Fixture
        let accounts: ServiceAccounts
        let email: ServiceAccountEmail
        let keyID: String

        init(_ fixture: Fixture) async throws {
            self.fixture = fixture
            accounts = ServiceAccounts(database: fixture.database, clock: fixture.time.clock)
            email = try #require(ServiceAccountEmail("backend", in: "demo"))
            keyID = try await accounts.createKey(for: email, publicURL: "https://auth.example.com").keyID
        }

        /// An administrator as a call gets it, before it waits for anything.
        func administrator(for right: Administrator.Right) async throws(AccountError) -> Administrator {
            try await fixture.accounts.administration.accessTokens.administrator(
                bearing: AdministratorToken(serviceAccount: email, keyID: keyID, expires: .max), for: right, in: fixture.project,
                from: Fixture.here)
        }

        func revoke() async throws { _ = try await accounts.revoke(.key(id: keyID), in: "demo") }
    }

    private static let ada = "ada@example.com"

    private struct Act: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let right: Administrator.Right
        let work: @Sendable (Accounts, _ id: String, _ idToken: String, Administrator) async throws -> Void
    }

    /// Every rule by which administrators write.
    private static let acts = [
        Act(testDescription: "create", right: .manageUsers) { accounts, _, _, administrator in
            var change = AdministratorChange()
            (change.own.email, change.own.password) = ("eve@example.com", "correct horse")
            _ = try await accounts.administration.accounts.create("eve", change, by: administrator)
        },
        Act(testDescription: "update", right: .manageUsers) { accounts, id, _, administrator in
            var change = AdministratorChange()
            change.own.password = "battery staple"
            _ = try await accounts.administration.accounts.update(id, change, by: administrator)
        },
        Act(testDescription: "revoke", right: .manageUsers) { accounts, id, _, administrator in
            try await accounts.administration.accounts.revokeSessions(of: id, by: administrator)
        },
        Act(testDescription: "delete", right: .manageUsers) { accounts, id, _, administrator in
            try await accounts.deletion.delete(id, by: administrator)
        },
        Act(testDescription: "delete many", right: .manageUsers) { accounts, id, _, administrator in
            _ = try await accounts.deletion.deleteAll(of: [id], enabledToo: true, by: administrator)
        },
        Act(testDescription: "delete all", right: .manageUsers) { accounts, _, _, administrator in
            try await accounts.deletion.deleteAll(by: administrator)
        },
        Act(testDescription: "make a link", right: .mintLinks) { accounts, _, _, administrator in
            _ = try await accounts.codeMails.makeLink(.resetPassword, for: ada, Fixture.english, by: administrator)
        },
        Act(testDescription: "mail a link", right: .mintLinks) { accounts, _, _, administrator in
            try await accounts.codeMails.sendLink(.resetPassword, for: ada, Fixture.english, by: administrator)
        },
        Act(testDescription: "cookie", right: .sessionCookies) { accounts, _, idToken, administrator in
            _ = try await accounts.administration.sessionCookies.create(for: UTF8Text(idToken), life: .seconds(300), by: administrator)
        },
    ]

    @Test(arguments: acts) private func `SEC-50 writes nothing without its key, or without the right`(act: Act) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let backEnd = try await BackEnd(fixture)
        let administrator = try await backEnd.administrator(for: act.right)
        let tables: [SQL] = ["accounts", "sessions", "action_codes", "deliveries"]
        func counts() async throws -> [Int64] {
            var counts: [Int64] = []
            for table in tables { counts.append(try await fixture.count(table)) }
            // What operators did to the service account itself is about no account.
            let events: SQL = "SELECT count(*) FROM audit_events WHERE account_id IS NOT NULL"
            counts.append(try await fixture.database.query(events).first?.value() ?? 0)
            return counts
        }
        let before = try await counts()

        #expect(try await backEnd.accounts.setRights(Administrator.Right.usual.subtracting([act.right]), of: backEnd.email))
        await #expect {
            try await act.work(fixture.accounts, account.id, idToken, administrator)
        } throws: {
            if case AccountError.rightMissing(act.right, of: _) = $0 { true } else { false }
        }
        #expect(try await backEnd.accounts.setRights(Administrator.Right.usual, of: backEnd.email))
        try await backEnd.revoke()
        await expectRefusal("accessTokenRefused") { try await act.work(fixture.accounts, account.id, idToken, administrator) }
        #expect(try await counts() == before)
        #expect(try await fixture.stored(account.id)?.passwordUpdatedAt == account.passwordUpdatedAt)

        fixture.time.advance(.seconds(1))
        let other = try await BackEnd(fixture).administrator(for: act.right)
        try await act.work(fixture.accounts, account.id, idToken, other)
        #expect(try await counts() != before)
    }

    @Test func `SEC-50 a revocation reaches a change that waits for the account`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        let backEnd = try await BackEnd(fixture)
        let administrator = try await backEnd.administrator(for: .manageUsers)
        let waiting = try await fixture.database.transaction { transaction in
            _ = try await transaction.query("SELECT 1 FROM accounts FOR UPDATE")
            let waiting = Task { try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: administrator) }
            try await eventually { try await fixture.database.countWaitsForLocks() == 1 }
            try await backEnd.revoke()
            return waiting
        }
        await expectRefusal("accessTokenRefused") { try await waiting.value }
        #expect(try await fixture.stored(account.id)?.sessionsEndedAt == nil)
    }

    @Test func `SEC-50 a revocation goes before writes that come after it`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        let backEnd = try await BackEnd(fixture)
        let administrator = try await backEnd.administrator(for: .manageUsers)
        let (revocation, change) = try await fixture.database.transaction { transaction in
            // A write of the service account that is not committed yet.
            _ = try await transaction.query(ServiceAccounts.keepRights(in: "demo"))
            let revocation = Task { try await backEnd.revoke() }
            try await eventually { try await fixture.database.countWaitsForLocks() == 1 }
            let change = Task { try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: administrator) }
            try await eventually { try await fixture.database.countWaitsForLocks() == 2 }
            return (revocation, change)
        }
        try await revocation.value
        await expectRefusal("accessTokenRefused") { try await change.value }
        #expect(try await fixture.stored(account.id)?.sessionsEndedAt == nil)
    }

    @Test func `takes no further round trip`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        let administrator = try await BackEnd(fixture).administrator(for: .manageUsers)
        let before = fixture.database.roundTrips
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: administrator)
        #expect(fixture.database.roundTrips == before + 2)
    }
}
