/// The state of a database server that decides whether data is safe and statements behave, as it reports it.
package struct ServerState: Sendable {
    package let version: Int
    package let encoding: String
    package let isolation: String
    package let fsync: Bool
    package let fullPageWrites: Bool
    package let synchronousCommit: String
    package let autovacuum: Bool
    /// Whether this role may do everything, as no program should.
    package let isSuperuser: Bool
    /// Connections of clients to this server, of all databases.
    package let connections: Int
    /// Indexes that a failed build has left, which no query uses.
    package let invalidIndexes: [String]
    /// Tables of the schema whose dead rows are never removed.
    package let tablesWithoutVacuum: [String]
    /// Whether the machine's library sorts texts by other rules than when the indexes were built. `false` before PostgreSQL 15, which does
    /// not note their version for a database.
    package let sortRulesChanged: Bool
}

extension Database {
    /// Asks in one round trip, and in a second one where PostgreSQL notes the version of the sort rules.
    package func state() async throws(PostgresError) -> ServerState {
        let rows = try await query(
            """
            SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
                current_setting('default_transaction_isolation'),
                current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean, current_setting('synchronous_commit'),
                current_setting('autovacuum')::boolean, r.rolsuper,
                (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                (SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                    WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace(current_schema())),
                (SELECT coalesce(array_agg(relname::text ORDER BY relname), '{}') FROM pg_class
                    WHERE relnamespace = to_regnamespace(current_schema()) AND 'autovacuum_enabled=false' = ANY (reloptions))
            FROM pg_roles r, pg_database d WHERE r.rolname = session_user AND d.datname = current_database()
            """)
        guard var row = rows.first?.reader() else { throw .unavailable("the database knows neither this role nor itself") }
        let version: Int = try row.next()
        return ServerState(
            version: version, encoding: try row.next(), isolation: try row.next(), fsync: try row.next(),
            fullPageWrites: try row.next(), synchronousCommit: try row.next(), autovacuum: try row.next(), isSuperuser: try row.next(),
            connections: try row.next(), invalidIndexes: try row.next(), tablesWithoutVacuum: try row.next(),
            sortRulesChanged: version < 15_00_00 ? false : try await sortRulesChanged())
    }

    private func sortRulesChanged() async throws(PostgresError) -> Bool {
        let rows = try await query(
            """
            SELECT datcollversion IS NOT NULL AND datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid)
            FROM pg_database WHERE datname = current_database()
            """)
        return try rows.first?.value() ?? false
    }
}
