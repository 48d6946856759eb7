@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// Tests that PostgreSQL finds callers, sessions and listed accounts by index, and does not read a table for some of its rows.
@Suite struct KeyPlansTests {
    enum Search: CaseIterable { case caller, refresh, lookup }

    private func statement(_ search: Search, _ fixture: Fixture) -> SQL {
        let (now, session) = (fixture.time.clock.now(), Array(repeating: 0, count: 15) + [1] as [UInt8])
        switch search {
        case .caller:
            return IDToken(accountID: "a1", sessionID: session, issued: now, expires: now, authTime: now, signInProvider: "custom")
                .caller(in: fixture.project)
        case .refresh:
            let token = RefreshToken(realmNumber: fixture.project.number, sessionID: session, generation: 0)
            return fixture.sessions.refresh(token, of: RefreshTokenKey(id: 1, bytes: []), rotating: true, in: fixture.project)
        case .lookup:
            return Account.select("a.account_id = ANY(\((1...32).map { "a\($0)" }))", in: fixture.project)
        }
    }

    private func fixture(rows: Int) async throws -> Fixture {
        let fixture = try await Fixture()
        _ = try await fixture.database.write(
            """
            INSERT INTO accounts (project_id, account_id, email_verified, valid_since, created_at)
            SELECT 'demo', 'a' || n, false, date_trunc('second', now()), now() FROM generate_series(1, \(Int64(rows))) n
            """)
        _ = try await fixture.database.write(
            """
            INSERT INTO sessions (project_id, session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at)
            SELECT 'demo', decode(lpad(to_hex(n), 32, '0'), 'hex'), 'a' || n, 'custom', now(), now(), now(), now()
            FROM generate_series(1, \(Int64(rows))) n
            """)
        return fixture
    }

    /// - Parameter isAnalyzed: without statistics, PostgreSQL takes `ended_at IS NULL` for a rare condition, whatever its costs are.
    @Test(arguments: Search.allCases, [false, true])
    func `finds rows by their keys through an index`(search: Search, isAnalyzed: Bool) async throws {
        let fixture = try await fixture(rows: isAnalyzed ? 1000 : 10_000)
        if isAnalyzed {
            for table in ["accounts", "sessions"] { _ = try await fixture.database.write(SQL(unsafe: "ANALYZE \(table)")) }
        }
        let plan = try await fixture.database.write("EXPLAIN \(statement(search, fixture))")
            .map { try $0.value(as: String.self) }.joined(separator: "\n")
        #expect(plan.contains("accounts_pkey") && !plan.contains("Seq Scan"), "\(plan)")
        #expect(plan.contains("sessions_pkey") == (search != .lookup), "\(plan)")
    }

    @Test(arguments: Search.allCases)
    func `names the project of each table by one parameter`(search: Search) async throws {
        let text = statement(search, try await Fixture()).text
        let projects = text.matches(of: #/project_id = (\$[0-9]+)/#).map { $0.1 }
        #expect(Set(projects).count == 1)
        #expect(projects.count == text.matches(of: #/\b(?:FROM|JOIN|UPDATE) (?:accounts|identities|passkeys|sessions)\b/#).count, "\(text)")
    }
}
