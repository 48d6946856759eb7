import Postgres

/// Where a distributed database (Citus) has tables of the schema in another way than statements need them.
package struct Distribution: Sendable, Equatable {
    /// Tables of projects that are not distributed together with `accounts`.
    package let notTogether: [String]
    /// All other tables, of which some node does not have a copy. `schema_migrations` stays with the coordinator.
    package let notEverywhere: [String]
}

extension Inspection {
    /// The tables that are not where they should be; `nil` for a database that is not distributed.
    package func distribution() async throws(AccountError) -> Distribution? {
        let extended = try await storage.read("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        guard try reading({ try extended.first?.value(as: Bool.self) }) == true else { return nil }
        return Distribution(
            notTogether: try await misplaced(
                Table.all.filter(\.isOfProjects),
                unless: "own.partmethod = 'h' AND own.colocationid = (SELECT colocationid FROM placed WHERE name = 'accounts')"),
            notEverywhere: try await misplaced(Table.all.filter { !$0.isOfProjects }, unless: "own.partmethod = 'n'"))
    }

    private func misplaced(_ tables: [Table], unless isInPlace: SQL) async throws(AccountError) -> [String] {
        let rows = try await storage.read(
            """
            WITH placed AS (SELECT logicalrelid::text AS name, partmethod, colocationid FROM pg_dist_partition)
            SELECT name FROM unnest(\(tables.map(\.name))) WITH ORDINALITY AS listed (name, number) LEFT JOIN placed own USING (name)
            WHERE to_regclass(name) IS NOT NULL AND (\(isInPlace)) IS NOT TRUE ORDER BY number
            """)
        return try reading { try rows.map { row throws(PostgresError) in try row.value() } }
    }
}
