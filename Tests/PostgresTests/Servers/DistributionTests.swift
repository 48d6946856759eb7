import TestKit
import Testing

@testable import Postgres

/// A table with the columns of Citus's own stands in for the extension.
@Suite struct DistributionTests {
    private func made(_ statements: [SQL]) async throws -> Distribution? {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let tables: [SQL] = [
            "CREATE TABLE schema_migrations (number integer PRIMARY KEY)", "CREATE TABLE keys (kid text PRIMARY KEY)",
            "CREATE TABLE projects (project_id text PRIMARY KEY)",
            "CREATE TABLE accounts (project_id text, account_id text, PRIMARY KEY (project_id, account_id))",
            "CREATE TABLE sessions (project_id text, session_id bytea, PRIMARY KEY (project_id, session_id))",
        ]
        _ = try await database.write(all: tables + statements)
        return try await database.distribution()
    }

    private let extended: SQL = "CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod \"char\", colocationid integer)"

    @Test func `says nothing of a database that is not distributed`() async throws {
        #expect(try await made([]) == nil)
    }

    @Test func `finds nothing where each is in its place`() async throws {
        let found = try await made([
            extended,
            """
            INSERT INTO pg_dist_partition VALUES ('accounts', 'h', 3), ('sessions', 'h', 3), ('keys', 'n', 4), ('projects', 'n', 4)
            """,
        ])
        #expect(found == Distribution(notTogether: [], notEverywhere: []))
    }

    @Test func `finds the tables that an upgrade has made and nobody distributed`() async throws {
        #expect(
            try await made([extended, "INSERT INTO pg_dist_partition VALUES ('accounts', 'h', 3)"])
                == Distribution(notTogether: ["sessions"], notEverywhere: ["keys", "projects"]))
        #expect(
            try await made([extended]) == Distribution(notTogether: ["accounts", "sessions"], notEverywhere: ["keys", "projects"]))
    }

    @Test func `finds tables that are distributed in another way`() async throws {
        let found = try await made([
            extended,
            """
            INSERT INTO pg_dist_partition VALUES ('accounts', 'h', 3), ('sessions', 'h', 5), ('keys', 'h', 3), ('projects', 'n', 4)
            """,
        ])
        #expect(found == Distribution(notTogether: ["sessions"], notEverywhere: ["keys"]))
    }
}
