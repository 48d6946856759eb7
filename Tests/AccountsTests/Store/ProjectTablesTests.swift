@testable import Accounts
import FoundationEssentials
import Postgres
import TestKit
import Testing

/// A database that spreads projects over several machines needs tables whose keys begin with the project.
@Suite struct ProjectTablesTests {
    private func names(_ query: SQL, _ database: Database) async throws -> [String] {
        try await database.query(query).map { try $0.value() }
    }

    /// The tables whose primary key begins with the project and goes on.
    private let ofProjects: SQL = """
        SELECT c.oid, c.relname::text AS name FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] AND a.attname = 'project_id'
        WHERE c.relnamespace = to_regnamespace(current_schema()) AND cardinality(k.conkey) > 1
        """

    @Test func `every unique key and every foreign key of a project's rows begins with the project`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let unique = try await names(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index i JOIN (\(ofProjects)) t ON t.oid = i.indrelid
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indisunique AND a.attname <> 'project_id'
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

    @Test func `docs/scaling.md distributes every table that there is`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let page = try #require(FileManager.default.contents(atPath: Repository.root + "/docs/scaling.md"))
        let text = String(decoding: page, as: UTF8.self)
        let distributed = text.matches(of: /create_distributed_table\('(\w+)', 'project_id'/).map { String($0.1) }
        #expect(try await distributed.sorted() == names("SELECT name FROM (\(ofProjects)) t ORDER BY name COLLATE \"C\"", database))
        let referenced = text.matches(of: /create_reference_table\('(\w+)'\)/).map { String($0.1) }
        let others = try await names(
            """
            SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r'
                AND c.relname <> 'schema_migrations' AND c.oid NOT IN (SELECT oid FROM (\(ofProjects)) t) ORDER BY c.relname COLLATE "C"
            """, database)
        #expect(referenced.sorted() == others)
    }
}
