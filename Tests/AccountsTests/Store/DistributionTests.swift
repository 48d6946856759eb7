import Postgres
import TestKit
import Testing

@testable import Accounts

/// A table with the columns of Citus's own stands in for the extension.
@Suite struct DistributionTests {
    private let extended: SQL = "CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod \"char\", colocationid integer)"
    private let placed: SQL = """
        INSERT INTO pg_dist_partition SELECT c.oid, CASE WHEN a.attname IS NULL THEN 'n' ELSE 'h' END::"char", CASE WHEN a.attname IS NULL THEN 4 ELSE 3 END
        FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] AND a.attname = 'project_id' AND i.indnatts > 1
        WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations'
        """

    private func found(_ statements: [SQL]) async throws -> Distribution? {
        let fixture = try await Fixture()
        _ = try await fixture.database.write(all: statements)
        return try await Inspection(database: fixture.database, masterKey: fixture.masterKey, clock: fixture.time.clock).distribution()
    }

    @Test func `says nothing of a database that is not distributed`() async throws {
        #expect(try await found([]) == nil)
    }

    @Test func `finds nothing where each is in its place`() async throws {
        #expect(try await found([extended, placed]) == Distribution(notTogether: [], notEverywhere: []))
    }

    @Test func `finds the tables that an upgrade has made and nobody distributed`() async throws {
        let found = try await found([
            extended, placed,
            "DELETE FROM pg_dist_partition WHERE logicalrelid IN ('sessions'::regclass, 'projects'::regclass)",
        ])
        #expect(found == Distribution(notTogether: ["sessions"], notEverywhere: ["projects"]))
    }

    @Test func `finds every table of projects where accounts is not distributed`() async throws {
        let found = try await found([extended, placed, "DELETE FROM pg_dist_partition WHERE logicalrelid = 'accounts'::regclass"])
        #expect(found == Distribution(notTogether: Table.all.filter(\.isOfProjects).map(\.name), notEverywhere: []))
    }

    @Test func `finds tables that are distributed in another way`() async throws {
        let found = try await found([
            extended, placed, "UPDATE pg_dist_partition SET colocationid = 5 WHERE logicalrelid = 'sessions'::regclass",
            "UPDATE pg_dist_partition SET partmethod = 'h', colocationid = 3 WHERE logicalrelid = 'signing_keys'::regclass",
        ])
        #expect(found == Distribution(notTogether: ["sessions"], notEverywhere: ["signing_keys"]))
    }
}
