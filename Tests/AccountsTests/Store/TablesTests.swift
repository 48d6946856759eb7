@testable import Accounts
import FoundationEssentials
import Postgres
import TestKit
import Testing

/// The list of tables is compared with a migrated database.
@Suite struct TablesTests {
    private func names(_ query: SQL, _ database: Database) async throws -> [String] {
        try await database.query(query).map { try $0.value() }
    }

    private func migrated() async throws -> Database { try TestDatabase.open(try await TestDatabase.make()) }

    private let ofProjects = Table.all.filter(\.isOfProjects).map(\.name)

    @Test func `every table is listed with its primary key`() async throws {
        let keys = try await names(
            """
            SELECT c.relname || ': ' || string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY k.place)
            FROM pg_class c JOIN pg_constraint p ON p.conrelid = c.oid AND p.contype = 'p'
            CROSS JOIN unnest(p.conkey) WITH ORDINALITY AS k (number, place) JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relname <> 'schema_migrations' GROUP BY c.relname
            """, try await migrated())
        let types: [Table.Column.Kind: String] = [.text: "text", .bytes: "bytea", .number: "bigint"]
        let listed = Table.all.map { table in
            let key = (table.isOfProjects ? [.text("project_id")] : []) + table.key
            return "\(table.name): " + key.map { "\($0.name) \(types[$0.kind] ?? "")" }.joined(separator: ", ")
        }
        #expect(keys.sorted() == listed.sorted())
    }

    @Test func `every unique key and every foreign key of a project's rows begins with the project`() async throws {
        let database = try await migrated()
        let unique = try await names(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indisunique AND a.attname <> 'project_id' AND c.relname = ANY(\(ofProjects))
            """, database)
        #expect(unique.isEmpty)
        let foreign = try await names(
            """
            SELECT k.conname::text FROM pg_constraint k
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
            JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
            WHERE k.contype = 'f' AND (a.attname, b.attname) <> ('project_id', 'project_id')
            """, database)
        #expect(foreign.isEmpty)
    }

    @Test func `what goes with the accounts, by the database or by a statement, is what refers to them`() async throws {
        let cascading = try await names(
            """
            WITH RECURSIVE gone AS (
                SELECT 'accounts'::regclass AS id
                UNION SELECT k.conrelid FROM gone JOIN pg_constraint k ON k.confrelid = gone.id AND k.confdeltype = 'c'
            ) SELECT id::text FROM gone WHERE id <> 'accounts'::regclass
            """, try await migrated())
        #expect(Set(Table.all.filter { $0.whenAccountsGo == .cascade }.map(\.name)).isSubset(of: cascading))
        #expect(Table.all.filter { $0.whenAccountsGo == .stay && cascading.contains($0.name) }.isEmpty)
    }

    @Test func `what expires is deleted, by a column that an index finds unless the list says that none does`() async throws {
        let columns = try await names(
            """
            SELECT c.relname || '.' || a.attname || CASE WHEN EXISTS (
                SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY(i.indkey::smallint[])) THEN ' by index' ELSE '' END
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r' AND a.atttypid = 'timestamptz'::regtype
            """, try await migrated())
        for table in Table.all where !table.expiry.isEmpty {
            #expect(table.key.count == 1)
            for expiry in table.expiry {
                #expect(columns.contains("\(table.name).\(expiry.column)\(expiry.hasIndex ? " by index" : "")"))
            }
        }
        // That of a provider's token is not the end of its row.
        let expiring = columns.filter { $0.contains(".expires_at") && !$0.hasPrefix("provider_tokens.") }
        let deleted = Table.all.filter { !$0.expiry.isEmpty }.map(\.name)
        #expect(expiring.allSatisfy { column in deleted.contains { column.hasPrefix("\($0).") } })
    }

    @Test func `every column that may hold what is sealed is listed`() async throws {
        let found = try await names(
            """
            SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r' AND a.atttypid = 'bytea'::regtype
                AND NOT EXISTS (
                    SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
                        AND pg_get_constraintdef(k.oid) LIKE '%(length(' || a.attname || ') = %')
            """, try await migrated())
        // Hashes and ids have one length. These refer to such, in other tables, or are public.
        let references = [
            "authorization_requests.browser_session_id", "authorization_requests.client_session_id", "console_sessions.passkey_id",
            "deliveries.purpose", "operator_passkeys.credential_id", "operator_passkeys.public_key", "passkeys.credential_id",
            "passkeys.public_key", "sessions.browser_session_id",
        ]
        let sealed = Table.all.flatMap { table in (table.sealed?.names ?? []).map { "\(table.name).\($0)" } }
        #expect(found.sorted() == (references + sealed).sorted())
    }

    @Test func `docs/scaling.md distributes every table, each behind those that it refers to`() throws {
        let page = try #require(FileManager.default.contents(atPath: Repository.root + "/docs/scaling.md"))
        let text = String(decoding: page, as: UTF8.self)
        let distributed = text.matches(of: /create_distributed_table\('(\w+)', 'project_id'/).map { String($0.1) }
        #expect(distributed == ofProjects)
        let referenced = text.matches(of: /create_reference_table\('(\w+)'\)/).map { String($0.1) }
        #expect(referenced.sorted() == Table.all.filter { !$0.isOfProjects }.map(\.name).sorted())
    }
}
