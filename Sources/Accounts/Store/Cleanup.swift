package import Postgres
package import ProjectSettings
package import Runtime

/// Deletes rows that have expired: action codes a day after their expiry, flows, mails and used tokens an hour after theirs, sessions 30
/// days after their end, audit events that are older than their project keeps them, and rate limits that are full. Any process may run it.
package struct Cleanup: Sendable {
    private static let batch: Int64 = 1000
    /// The size of a batch where no index finds the rows to delete, so that each batch reads the whole table.
    private static let scanned: Int64 = 10_000
    let storage: Storage
    let clock: Clock
    let auditRetention: Duration

    /// - Parameter auditRetention: how long audit events are kept of projects whose file does not say so.
    package init(database: Database, clock: Clock, auditRetention: Duration) {
        storage = Storage(database: database)
        self.clock = clock
        self.auditRetention = auditRetention
    }

    /// Deletes in batches, so that no statement holds locks for long, until nothing is left to delete.
    ///
    /// - Parameter projects: those that are configured; some of them keep their audit events for another time.
    package func run(for projects: [ProjectSettings] = []) async throws(AccountError) {
        let now = clock.now()
        let hourAgo = now - .seconds(3600)
        try await delete(
            """
            DELETE FROM sign_in_flows WHERE (project_id, flow_id) IN
                (SELECT project_id, flow_id FROM sign_in_flows WHERE expires_at < \(hourAgo) LIMIT \(Self.batch)) RETURNING 1::bigint
            """)
        try await delete(
            """
            DELETE FROM mail_outbox WHERE (project_id, mail_id) IN
                (SELECT project_id, mail_id FROM mail_outbox WHERE expires_at < \(hourAgo) LIMIT \(Self.batch)) RETURNING 1::bigint
            """)
        try await delete(
            """
            DELETE FROM action_codes WHERE (project_id, code_hash) IN
                (SELECT project_id, code_hash FROM action_codes WHERE expires_at < \(now - ActionCode.memory) LIMIT \(Self.batch))
            RETURNING 1::bigint
            """)
        try await delete(
            """
            DELETE FROM authorization_requests WHERE (project_id, request_id) IN
                (SELECT project_id, request_id FROM authorization_requests WHERE expires_at < \(hourAgo) LIMIT \(Self.batch))
            RETURNING 1::bigint
            """)
        try await delete(
            """
            DELETE FROM sessions WHERE (project_id, session_id) IN
                (SELECT project_id, session_id FROM sessions WHERE expires_at < \(hourAgo) LIMIT \(Self.batch)) RETURNING 1::bigint
            """)
        // An hour late, since the clocks of two processes differ: a token must not be forgotten while one of them still accepts it.
        try await delete(
            """
            DELETE FROM spent_tokens WHERE (project_id, token_id) IN
                (SELECT project_id, token_id FROM spent_tokens WHERE expires_at < \(hourAgo) LIMIT \(Self.batch)) RETURNING 1::bigint
            """)
        try await delete(
            """
            DELETE FROM sessions WHERE (project_id, session_id) IN
                (SELECT project_id, session_id FROM sessions WHERE ended_at < \(now - .seconds(30 * 86400)) LIMIT \(Self.batch))
            RETURNING 1::bigint
            """)
        try await delete(oldEvents(of: projects, at: now))
        // Full buckets contain no information. They are read in the order of the table, since the time has no index.
        try await repeating(
            """
            DELETE FROM rate_limits WHERE ctid = ANY (ARRAY
                (SELECT ctid FROM rate_limits WHERE full_at < \(hourAgo) LIMIT \(Self.scanned) FOR UPDATE SKIP LOCKED)) RETURNING 1::bigint
            """,
            batch: Self.scanned)
    }

    /// Deletes the audit events of every project that are older than it keeps them, also of projects that are not configured any more.
    private func oldEvents(of projects: [ProjectSettings], at now: Instant) -> SQL {
        let keepers = projects.compactMap { project in project.audit.keep.map { (project.id, $0.wholeSeconds) } }
        return """
            -- The projects are found one after the other by the index, so that the rows that stay are not read.
            WITH RECURSIVE stored AS (
                SELECT min(project_id) AS project_id FROM audit_events
                UNION ALL
                SELECT (SELECT min(project_id) FROM audit_events WHERE project_id > stored.project_id)
                FROM stored WHERE stored.project_id IS NOT NULL
            ), deadlines AS (
                SELECT stored.project_id, \(now) - coalesce(own.seconds, \(auditRetention.wholeSeconds)) * interval '1 second' AS deadline
                FROM stored LEFT JOIN unnest(\(keepers.map(\.0)), \(keepers.map(\.1))) AS own (project_id, seconds) USING (project_id)
                WHERE stored.project_id IS NOT NULL
            )
            DELETE FROM audit_events WHERE (project_id, event_id) IN
                (SELECT old.project_id, old.event_id FROM deadlines CROSS JOIN LATERAL
                    (SELECT e.project_id, e.event_id FROM audit_events e
                    WHERE e.project_id = deadlines.project_id AND e.occurred_at < deadlines.deadline LIMIT \(Self.batch)) old
                LIMIT \(Self.batch))
            RETURNING 1::bigint
            """
    }

    /// Deletes the provider tokens of projects whose entry of the provider keeps none any more, or is gone.
    ///
    /// - Parameter keepers: the providers that keep tokens, for each project that is configured. Another project's tokens stay, as its
    ///   accounts do.
    package func deleteProviderTokens(except keepers: [String: [String]]) async throws(AccountError) {
        for (project, providers) in keepers {
            try await delete(
                """
                -- The few providers are found one after the other by the index, so that the many rows are not read.
                WITH RECURSIVE stored AS (
                    SELECT min(provider_id) AS provider_id FROM provider_tokens WHERE project_id = \(project: project)
                    UNION ALL
                    SELECT (SELECT min(provider_id) FROM provider_tokens WHERE project_id = \(project: project) AND provider_id > stored.provider_id)
                    FROM stored WHERE stored.provider_id IS NOT NULL
                )
                DELETE FROM provider_tokens WHERE (project_id, account_id, provider_id) IN
                    (SELECT project_id, account_id, provider_id FROM provider_tokens
                    WHERE project_id = \(project: project) AND provider_id IN
                        (SELECT provider_id FROM stored WHERE provider_id IS NOT NULL AND provider_id <> ALL (\(providers)))
                    LIMIT \(Self.batch))
                RETURNING 1::bigint
                """)
        }
    }

    /// Marks sessions as ended that were not refreshed for their project's `sessions.idle` and one more hour. They are refused anyway; this
    /// makes sure that they are deleted later.
    ///
    /// - Parameter piece: the most open sessions that one statement reads.
    package func endIdleSessions(of projects: [ProjectSettings], piece: Int = 1000) async throws(AccountError) {
        for project in projects {
            guard let idle = project.sessions.idle else { continue }
            var position = SessionPosition.start
            while let next = try await endIdleSessions(of: project.id, after: position, idle: idle, piece: piece) { position = next }
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

    private func delete(_ statement: SQL) async throws(AccountError) { try await repeating(statement, batch: Self.batch) }

    private func repeating(_ statement: SQL, batch: Int64) async throws(AccountError) {
        while try await storage.write(statement).count == Int(batch) {}
    }
}
