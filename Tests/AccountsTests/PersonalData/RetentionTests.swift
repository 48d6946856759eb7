@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// What is cut or deleted once it is old.
@Suite struct RetentionTests {
    private func texts(_ query: SQL, _ fixture: Fixture) async throws -> [String] {
        try await fixture.database.query(query).map { try $0.value(as: String?.self) ?? "-" }
    }

    @Test func `addresses of clients are cut once they are old, and only then`() async throws {
        let fixture = try await Fixture()
        let now = fixture.time.clock.now()
        let addresses = ["203.0.113.77", "2001:db8:1:2::5", "203.0.113.0/24", "unix"]
        for (age, suffix) in [(Duration.seconds(86400 * 31), "old"), (.seconds(86400 * 29), "new")] {
            for (number, address) in addresses.enumerated() {
                _ = try await fixture.signIn(Fixture.ada(subject: "\(suffix)\(number)"))
                _ = try await fixture.database.write(
                    """
                    UPDATE sessions SET address = \(address), created_at = \(now - age), user_agent = \(suffix)
                    WHERE project_id = 'demo' AND user_agent = 'test'
                    """)
                _ = try await fixture.database.write(
                    """
                    INSERT INTO audit_events (project_id, occurred_at, actor_kind, action, address, user_agent)
                    VALUES ('demo', \(now - age), 'person', 'password.changed', \(address), \(suffix))
                    """)
            }
        }
        // Pieces that are smaller than what there is.
        try await OldAddresses(database: fixture.database, clock: fixture.time.clock, retention: Retention(), piece: 3).cut()
        let cut = ["-", "2001:db8:1::/48", "203.0.113.0/24", "203.0.113.0/24"]
        for table: SQL in ["sessions", "audit_events"] {
            func found(_ suffix: String) async throws -> [String] {
                try await texts("SELECT address FROM \(table) WHERE user_agent = \(suffix)", fixture).sorted()
            }
            #expect(try await found("old") == cut)
            #expect(try await found("new") == addresses.sorted())
        }
    }

    @Test func `anonymous accounts go once they are not used for long, and no others`() async throws {
        var fixture = try await Fixture.forCodes()
        var guests: [String: String] = [:]
        for name in ["unused", "refreshed", "linked", "imported"] { guests[name] = try await fixture.signUpAnonymously().0.id }
        let (person, _, _) = try await fixture.signUp("ada@example.com")
        var bare = Account(id: "bare", at: fixture.time.clock.now())
        (bare.displayName, bare.lastLoginAt) = ("made by an administrator", nil)
        _ = try await fixture.database.write(bare.insert(in: fixture.project))
        _ = try await fixture.database.write(
            """
            INSERT INTO imported_accounts (project_id, account_id, digest, fields)
            VALUES ('demo', \(guests["imported"]), decode(repeat('00', 16), 'hex'), decode(repeat('00', 72), 'hex'))
            """)
        _ = try await fixture.database.write(
            """
            INSERT INTO identities (project_id, provider_id, subject, account_id, linked_at, last_sign_in_at)
            VALUES ('demo', 'oidc.acme', 'ada', \(guests["linked"]), now(), now())
            """)
        fixture.time.advance(.seconds(86400 * 20))
        _ = try await fixture.database.write(
            "UPDATE sessions SET refreshed_at = \(fixture.time.clock.now()) WHERE project_id = 'demo' AND account_id = \(guests["refreshed"])"
        )
        fixture.time.advance(.seconds(86400 * 11))
        let chore = UnusedGuests(database: fixture.database, clock: fixture.time.clock, piece: 2)
        try await chore.delete(in: [fixture.project])
        #expect(try await fixture.count("accounts") == 6)
        fixture.project.anonymousAccounts.deleteAfter = .seconds(86400 * 30)
        try await chore.delete(in: [fixture.project])
        let left = try await texts("SELECT account_id FROM accounts WHERE project_id = 'demo'", fixture)
        #expect(Set(left) == Set(guests.filter { $0.key != "unused" }.values).union([person.id, "bare"]))
        #expect(
            try await texts("SELECT actor || ' ' || action FROM audit_events WHERE account_id = \(guests["unused"])", fixture)
                == ["clean-up account.deleted"])
        #expect(try await texts("SELECT end_reason FROM sessions WHERE account_id = \(guests["unused"])", fixture) == ["account deleted"])
    }
}
