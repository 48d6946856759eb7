/// Where a distributed database (Citus) has tables of the schema in another way than statements need them.
package struct Distribution: Sendable, Equatable {
    /// Tables whose primary key begins with the project and goes on, which are not distributed together with `accounts`.
    package let notTogether: [String]
    /// All other tables, of which some node does not have a copy. `schema_migrations` stays with the coordinator.
    package let notEverywhere: [String]
}

extension Database {
    /// The tables that are not where they should be; `nil` for a database that is not distributed.
    package func distribution() async throws(PostgresError) -> Distribution? {
        guard try await query("SELECT to_regclass('pg_dist_partition') IS NOT NULL")[0].value() else { return nil }
        let rows = try await query(
            """
            SELECT c.relname::text, a.attname = 'project_id' AND cardinality(k.conkey) > 1 AS is_of_projects
            FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
            LEFT JOIN pg_dist_partition own ON own.logicalrelid = c.oid
            LEFT JOIN pg_dist_partition main ON main.logicalrelid = to_regclass('accounts')
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations'
                AND CASE WHEN a.attname = 'project_id' AND cardinality(k.conkey) > 1
                    THEN own.partmethod IS DISTINCT FROM 'h' OR own.colocationid IS DISTINCT FROM main.colocationid
                    ELSE own.partmethod IS DISTINCT FROM 'n' END
            ORDER BY c.relname
            """)
        var (notTogether, notEverywhere): ([String], [String]) = ([], [])
        for row in rows {
            var row = row.reader()
            let name: String = try row.next()
            if try row.next() { notTogether.append(name) } else { notEverywhere.append(name) }
        }
        return Distribution(notTogether: notTogether, notEverywhere: notEverywhere)
    }
}
