import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

/// The lists of columns against the tables of the database.
@Suite(.takesTurns) struct AccountColumnsTests {
    private func columns(of table: String, _ fixture: Fixture) async throws -> Set<String> {
        let rows = try await fixture.database.query(
            "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = \(table)")
        return Set(try rows.map { row throws in try row.value(as: String.self) })
    }

    /// The columns of one table that `Account.columns` selects.
    private func selected(_ alias: String, _ fixture: Fixture) -> Set<String> {
        Set(Account.columns(in: fixture.project).text.matches(of: #/\b([a-z])\.([a-z_]+)/#).filter { $0.1 == alias }.map { String($0.2) })
    }

    @Test func `an account is read from every column of both tables but those with rules of their own`() async throws {
        let fixture = try await Fixture()
        #expect(
            try await columns(of: "accounts", fixture)
                == selected("a", fixture).union(["project_id", "password_hash", "factor_secrets", "totp_steps"]))
        let apart: Set = ["project_id", "account_id", "alias", "tenant", "linked_at", "last_sign_in_at", "linked_unproven"]
        #expect(try await columns(of: "identities", fixture) == selected("i", fixture).union(apart))
    }

    @Test func `every column is inserted, or empty in a new account`() async throws {
        let fixture = try await Fixture()
        let text = Account(id: "ada", at: fixture.time.clock.now()).insert(in: fixture.project).text
        let list = text.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        let inserted = Set(list.split { $0 == "," || $0.isWhitespace }.map(String.init))
        let empty: Set = [
            "last_refresh_at", "initial_email", "sessions_ended_at", "second_factors", "factor_secrets", "totp_steps", "user_handle",
            "phone_linked_unproven",
        ]
        #expect(try await columns(of: "accounts", fixture) == inserted.union(empty))
    }

    @Test func `every column is updated, but the account's name, its beginning, and what people do not change`() async throws {
        let fixture = try await Fixture()
        let account = Account(id: "ada", at: fixture.time.clock.now())
        let kept: Set = [
            "project_id", "account_id", "created_at", "disabled", "custom_attributes", "second_factors", "factor_secrets", "totp_steps",
            "user_handle",
            "last_refresh_at",
        ]
        let all = try await columns(of: "accounts", fixture)
        #expect(try all == updated(by: account.update(from: account, passwordHash: nil, in: fixture.project)).union(kept))
        // An administrator changes all but the name and what refreshes note. The last sign-in stands there only when it is changed.
        var changed = account
        changed.lastLoginAt = account.createdAt + .seconds(1)
        let statement = changed.updateByAdministrator(from: account, passwordHash: nil, in: fixture.project)
        #expect(try all == updated(by: statement).union(["project_id", "account_id", "last_refresh_at", "totp_steps", "user_handle"]))
    }

    /// The columns that an UPDATE assigns.
    private func updated(by statement: SQL) throws -> Set<String> {
        let assignments = statement.text.prefix(upTo: try #require(statement.text.firstRange(of: "WHERE")).lowerBound)
        return Set(assignments.matches(of: #/([a-z_]+) = /#).map { String($0.1) })
    }

    @Test func `every field comes back as it was inserted and updated`() async throws {
        let fixture = try await Fixture()
        let start = Instant(seconds: 1_700_000_000)
        var account = Account(id: "ada", at: start)
        account.email = "ada@example.com"
        account.phoneNumber = "+441234567890"
        account.disabled = true
        account.customAttributes = #"{"admin":false}"#
        account.displayName = "Ada"
        account.photoURL = "https://example.com/ada.png"
        account.validSince = start + .seconds(1)
        account.lastLoginAt = start + .seconds(2)
        account.passwordUpdatedAt = start + .seconds(3)
        _ = try await fixture.database.write(account.insert(passwordHash: "a hash", in: fixture.project))
        #expect(try await fixture.stored("ada") == account)
        var enabled = account
        enabled.disabled = false
        enabled.createdAt = start + .seconds(9)
        enabled.customAttributes = nil
        _ = try await fixture.database.write(enabled.updateByAdministrator(from: account, passwordHash: nil, in: fixture.project))
        #expect(try await fixture.stored("ada") == enabled)
        account = enabled

        for flag in [\Account.emailVerified, \.emailProven, \.emailLinkSignIn, \.customAuth] {
            var changed = account
            changed[keyPath: flag] = true
            try await replace(account, by: changed, fixture)
            try await replace(changed, by: account, fixture)
        }
        var changed = account
        changed.email = "lovelace@example.com"
        changed.displayName = "Countess"
        changed.phoneNumber = "+12025550123"
        changed.photoURL = "https://example.com/countess.png"
        changed.initialEmail = "ada@example.com"
        changed.validSince = start + .seconds(4)
        changed.lastLoginAt = start + .seconds(5)
        changed.passwordUpdatedAt = start + .seconds(6)
        changed.sessionsEndedAt = start + .seconds(7)
        try await replace(account, by: changed, fixture)

        changed.disabled = true
        changed.customAttributes = #"{"admin":true}"#
        changed.lastRefreshAt = start + .seconds(8)
        _ = try await fixture.database.write(
            """
            UPDATE accounts SET disabled = true, custom_attributes = \(changed.customAttributes), last_refresh_at = \(changed.lastRefreshAt)
            """)
        #expect(try await fixture.stored("ada") == changed)
    }

    private func replace(_ account: Account, by changed: Account, _ fixture: Fixture) async throws {
        _ = try await fixture.database.write(changed.update(from: account, passwordHash: nil, in: fixture.project))
        #expect(try await fixture.stored(account.id) == changed)
    }

    @Test func `identities come back in the order of their providers`() async throws {
        let fixture = try await Fixture()
        let now = fixture.time.clock.now()
        var account = Account(id: "ada", at: now)
        account.identities = ["a.example", "b.example", "c.example"].map {
            LinkedIdentity(
                providerID: $0, subject: "ada at \($0)", email: "ada@\($0)", emailVerified: $0 == "b.example", displayName: "Ada of \($0)",
                photoURL: "https://\($0)/ada.png", screenName: "ada.\($0)")
        }
        _ = try await fixture.database.write(account.insert(in: fixture.project))
        for identity in account.identities.reversed() {
            _ = try await fixture.database.write(
                """
                INSERT INTO identities (project_id, account_id, provider_id, subject, email, email_verified, display_name, photo_url,
                    screen_name, linked_at, last_sign_in_at)
                VALUES ('demo', 'ada', \(identity.providerID), \(identity.subject), \(identity.email), \(identity.emailVerified),
                    \(identity.displayName), \(identity.photoURL), \(identity.screenName), \(now), \(now))
                """)
        }
        #expect(try await fixture.stored("ada") == account)
    }
}
