package import Postgres
package import ProjectSettings
package import Runtime

/// Deletes rows that have expired, as the list of tables says (`Table.expiry`). Any process may run it.
package struct Cleanup: Sendable {
    private static let batch: Int64 = 1000
    /// The size of a batch where no index finds the rows to delete, so that each batch reads all rows of the project.
    private static let scanned: Int64 = 10_000
    let storage: Storage
    let clock: Clock
    let retention: Retention

    package init(database: Database, clock: Clock, retention: Retention) {
        storage = Storage(database: database)
        self.clock = clock
        self.retention = retention
    }

    /// Deletes in batches, one project after the other. A fault in one of them does not stop the others; it is thrown at the end.
    ///
    /// - Parameter projects: those that are configured; some of them keep their audit events for another time. All other known projects are
    ///   cleaned, too.
    package func run(for projects: [ProjectSettings] = []) async throws(AccountError) {
        let configured = Dictionary(projects.map { ($0.storageID, $0) }, uniquingKeysWith: { first, _ in first })
        try await each(try await KnownProjects(storage: storage).list(remembering: projects.map(\.storageID))) { id throws(AccountError) in
            let project = configured[id]
            var retention = retention
            if let own = project?.audit.keep { retention.audit = own }
            try await clean(id, keeping: retention, whileMoving: project?.openMigration(at: clock.now()) != nil)
        }
        try await cleanShared()
    }

    /// Runs `body` for each, also behind one that failed; throws the first error at the end.
    private func each<Element>(_ elements: some Sequence<Element>, _ body: (Element) async throws(AccountError) -> Void)
        async throws(AccountError)
    {
        var first: AccountError?
        for element in elements {
            do { try await body(element) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    /// - Parameter isMoving: whether the project's people come from Firebase now.
    private func clean(_ project: String, keeping retention: Retention, whileMoving isMoving: Bool) async throws(AccountError) {
        func deletions(_ hasIndex: Bool, _ batch: Int64) -> [SQL] {
            Table.all.filter(\.isOfProjects).flatMap { table in
                table.expiry.filter { $0.hasIndex == hasIndex }.map {
                    deletion(
                        of: table, by: $0, retention: retention,
                        only: (isMoving ? $0.sparedWhileMoving : nil).map { "NOT (\($0))" } ?? "true",
                        in: project, batch: batch)
                }
            }
        }
        try await repeating(deletions(true, Self.batch))
        try await repeating(deletions(false, Self.scanned), batch: Self.scanned)
    }

    /// Deletes the rows of no project that have expired. There are few of them.
    private func cleanShared() async throws(AccountError) {
        let statements = Table.all.filter { !$0.isOfProjects }.flatMap { table in
            table.expiry.compactMap { expiry -> SQL? in
                guard case .fixed(let age) = expiry.age else { return nil }
                return "DELETE FROM \(table.sql) WHERE \(SQL(unsafe: expiry.column)) < \(clock.now() - age)"
            }
        }
        _ = try await storage.write(all: statements)
    }

    /// Deletes a batch of a project's rows that are old enough and meet the condition. Leaves those that another transaction holds, so that it
    /// waits for none.
    private func deletion(
        of table: Table, by expiry: Table.Expiry, retention: Retention, only condition: SQL, in project: String, batch: Int64
    ) -> SQL {
        let age =
            switch expiry.age {
            case .fixed(let age): age
            case .auditRetention: retention.audit
            case .signInRetention: retention.signIns
            }
        let (name, key, column) = (table.sql, table.key[0].sql, SQL(unsafe: expiry.column))
        return """
            DELETE FROM \(name) WHERE project_id = \(project: project) AND \(key) = ANY (ARRAY(
                SELECT \(key) FROM \(name) WHERE project_id = \(project: project) AND \(column) < \(clock.now() - age) AND \(condition)
                LIMIT \(batch) FOR UPDATE SKIP LOCKED)) RETURNING 1::bigint
            """
    }

    /// Deletes the provider tokens of projects whose entry of the provider keeps none any more, or is gone.
    ///
    /// - Parameter keepers: the providers that keep tokens, for each project that is configured. Another project's tokens stay, as its
    ///   accounts do.
    package func deleteProviderTokens(except keepers: [String: [String]]) async throws(AccountError) {
        try await each(keepers) { keeper throws(AccountError) in
            let (project, providers) = keeper
            try await repeating([
                """
                -- The few providers are found one after the other by the index, so that the many rows are not read.
                WITH RECURSIVE stored AS (
                    SELECT min(provider_id) AS provider_id FROM provider_tokens WHERE project_id = \(project: project)
                    UNION ALL
                    SELECT (SELECT min(provider_id) FROM provider_tokens WHERE project_id = \(project: project) AND provider_id > stored.provider_id)
                    FROM stored WHERE stored.provider_id IS NOT NULL
                )
                DELETE FROM provider_tokens WHERE project_id = \(project: project) AND (account_id, provider_id) IN
                    (SELECT account_id, provider_id FROM provider_tokens
                    WHERE project_id = \(project: project) AND provider_id IN
                        (SELECT provider_id FROM stored WHERE provider_id IS NOT NULL AND provider_id <> ALL (\(providers)))
                    LIMIT \(Self.batch))
                RETURNING 1::bigint
                """
            ])
        }
    }

    /// Marks sessions as ended that were not refreshed for their project's `sessions.idle` and one more hour. They are refused anyway; this
    /// makes sure that they are deleted later.
    ///
    /// - Parameter piece: the most open sessions that one statement reads.
    package func endIdleSessions(of projects: [ProjectSettings], piece: Int = 1000) async throws(AccountError) {
        try await each(projects) { project throws(AccountError) in
            guard let idle = project.sessions.idle else { return }
            var position = SessionPosition.start
            while let next = try await endIdleSessions(of: project.storageID, after: position, idle: idle, piece: piece) { position = next }
        }
    }

    /// The position in a walk over a project's open sessions, which are read in the order of their beginning.
    private struct SessionPosition {
        let createdAt: Instant
        let id: [UInt8]
        static let start = SessionPosition(createdAt: Instant(seconds: 0), id: [])
    }

    /// Reads the next piece and ends its idle sessions. Returns the position behind the piece; `nil` when it was the last.
    ///
    /// Uses the index `sessions_open`, which no refresh changes: a session that began after the deadline cannot be idle. `end_reason IS NULL`
    /// is the condition of that index.
    private func endIdleSessions(
        of project: String, after position: SessionPosition, idle: Duration, piece: Int
    ) async throws(AccountError) -> SessionPosition? {
        let now = clock.now()
        let deadline = now - idle - .seconds(3600)
        let rows = try await storage.write(Self.idlePiece(project, position.createdAt, position.id, deadline, now, piece))
        guard rows.count == piece, var last = rows.last?.reader() else { return nil }
        return try reading { SessionPosition(createdAt: try last.next(), id: try last.next()) }
    }

    static func idlePiece(
        _ project: String, _ createdAt: Instant, _ id: [UInt8], _ deadline: Instant, _ now: Instant, _ piece: Int
    ) -> SQL {
        """
        WITH piece AS (
            SELECT created_at, session_id FROM sessions
            WHERE project_id = \(project: project) AND end_reason IS NULL AND created_at < \(deadline)
                AND (created_at, session_id) > (\(createdAt), \(id))
            ORDER BY created_at, session_id LIMIT \(Int64(piece))),
        ended AS (
            UPDATE sessions SET ended_at = \(now), end_reason = 'idle' FROM piece
            WHERE sessions.project_id = \(project: project) AND sessions.session_id = piece.session_id
                AND sessions.ended_at IS NULL AND sessions.kind = 'app' AND sessions.refreshed_at < \(deadline))
        SELECT created_at, session_id FROM piece ORDER BY created_at, session_id
        """
    }

    /// Deletes everything that deleted tenants had, and then the mark that says so.
    ///
    /// It waits a while first, until no process serves them any more.
    ///
    /// - Parameter configured: the realms of files. One of them may have the id of a deleted tenant, and keeps what it has.
    package func emptyDeletedTenants(except configured: Set<String>) async throws(AccountError) {
        let due = clock.now() - Self.untilForgotten
        let projects = try await KnownProjects(storage: storage).list().filter(ProjectSettings.isID)
        try await each(projects) { project throws(AccountError) in
            let rows = try await storage.read(
                "SELECT tenant_id FROM tenants WHERE project_id = \(project: project) AND deleted_at < \(due)")
            let ids = try reading { try rows.map { row throws(PostgresError) in try row.value(as: String.self) } }
            let gone = ids.filter { !configured.contains(ProjectSettings.storageID(project: project, tenant: $0)) }
            try await each(gone) { id throws(AccountError) in
                try await empty(ProjectSettings.storageID(project: project, tenant: id))
                _ = try await storage.write("DELETE FROM tenants WHERE project_id = \(project: project) AND tenant_id = \(id)")
            }
        }
    }

    private static let untilForgotten: Duration = .seconds(600)

    /// Deletes all rows of a realm, in batches, and forgets it.
    private func empty(_ realm: String) async throws(AccountError) {
        for table in Table.all where table.isOfProjects {
            let (name, key) = (table.sql, table.key[0].sql)
            try await repeating([
                """
                DELETE FROM \(name) WHERE project_id = \(project: realm) AND \(key) = ANY (ARRAY(
                    SELECT \(key) FROM \(name) WHERE project_id = \(project: realm) LIMIT \(Self.batch))) RETURNING 1::bigint
                """
            ])
        }
        _ = try await storage.write("DELETE FROM projects WHERE project_id = \(project: realm)")
    }

    /// Runs the statements together, again and again until none of them finds a whole batch.
    private func repeating(_ statements: [SQL], batch: Int64 = batch) async throws(AccountError) {
        while try await storage.write(all: statements).contains(where: { $0.count >= Int(batch) }) {}
    }
}
