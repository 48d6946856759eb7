@testable import Accounts
import Postgres
import Runtime
import Testing

/// Tests that PostgreSQL looks up each key of a statement by index, and does not read a table for some of its rows.
@Suite struct KeyPlansTests {
    private static let now: Instant = Instant(seconds: 1_800_000_000)

    /// The bytes of the session that `fixture` makes with this number.
    private static func session(_ number: Int) -> [UInt8] { Array(repeating: 0, count: 15) + [UInt8(number)] }

    private static let statements: [String: SQL] = [
        "callers": IDToken.callers.sql(for: (1...32).map { "'demo', \("a\($0)"), \(session($0))" }),
        "refreshes": Sessions.rotation.sql(
            for: (1...16).map {
                "'demo', \(session($0)), \(Int64(0)), \(Int64(1)), \(now), \(now as Instant?), \(now), \(now), \(now)"
            }),
    ]

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
    @Test(arguments: statements.keys.sorted(), [false, true])
    func `looks up each key by index, where PostgreSQL's usual costs would have it read a table`(
        name: String, isAnalyzed: Bool
    ) async throws {
        let database = try await fixture(rows: isAnalyzed ? 1000 : 10_000).database
        if isAnalyzed {
            for table in ["accounts", "sessions"] { _ = try await database.write(SQL(unsafe: "ANALYZE \(table)")) }
        }
        let statement = try #require(Self.statements[name])
        func plan(_ cost: SQL) async throws -> String {
            let results = try await database.write(all: ["SELECT set_config('random_page_cost', \(cost), true)", "EXPLAIN \(statement)"])
            return try results[1].map { try $0.value(as: String.self) }.joined(separator: "\n")
        }
        let chosen = try await plan("current_setting('random_page_cost')")
        #expect(chosen.contains("sessions_pkey") && chosen.contains("accounts_pkey") && !chosen.contains("Seq Scan"), "\(chosen)")
        if isAnalyzed { #expect(try await plan("'4'").contains("Seq Scan")) }
    }
}
