@testable import Accounts
import Postgres
import TestKit
import Testing

/// The list of what tables have of a person is compared with a migrated database.
@Suite struct PersonalRowsTests {
    private func columns(_ database: Database) async throws -> [String: Set<String>] {
        let rows = try await database.query(
            """
            SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                AND a.attname <> 'project_id' AND c.relname <> 'schema_migrations'
            """)
        var columns: [String: Set<String>] = [:]
        for row in rows {
            var row = row.reader()
            let table: String = try row.next()
            columns[table, default: []].insert(try row.next())
        }
        return columns
    }

    @Test func `SEC-70 each table says what it has of a person, or that it has nothing`() {
        #expect(PersonalRows.all.map(\.key).sorted() == Table.all.map(\.name).sorted())
    }

    @Test func `SEC-70 each column of a table about people is shown or hidden`() async throws {
        let columns = try await columns(TestDatabase.open(try await TestDatabase.make()))
        for (table, rows) in PersonalRows.found {
            let listed = rows.shown.map(\.name) + rows.hidden
            #expect(listed.sorted() == columns[table]?.sorted(), "\(table)")
        }
    }

    @Test func `SEC-70 a table without people has no column for an account, an address or a number`() async throws {
        let columns = try await columns(TestDatabase.open(try await TestDatabase.make()))
        for (table, rows) in PersonalRows.all where rows == nil {
            let personal = columns[table]?.filter { ["account_id", "email", "phone_number"].contains($0) } ?? []
            // The e-mail of a service account is a name of ours, and operators are not people of a project.
            #expect(personal.isEmpty || table.hasPrefix("service_account") || table == "console_operators", "\(table)")
        }
    }

    @Test func `SEC-70 no column that is sealed, and no hash, is shown`() {
        for (table, rows) in PersonalRows.found {
            let sealed = Table.all.first { $0.name == table }?.sealed?.names ?? []
            #expect(rows.shown.allSatisfy { !sealed.contains($0.name) && !$0.name.hasSuffix("hash") }, "\(table)")
        }
    }

    @Test func `what the database deletes with an account is said to go with it`() async throws {
        let rows = try await TestDatabase.open(try await TestDatabase.make()).query(
            """
            WITH RECURSIVE gone AS (
                SELECT 'accounts'::regclass AS id
                UNION SELECT k.conrelid FROM gone JOIN pg_constraint k ON k.confrelid = gone.id AND k.confdeltype = 'c'
            ) SELECT id::text FROM gone
            """)
        let cascading = Set(try rows.map { try $0.value(as: String.self) })
        for (table, rows) in PersonalRows.found where rows.fate == .goWithAccount { #expect(cascading.contains(table), "\(table)") }
    }
}
