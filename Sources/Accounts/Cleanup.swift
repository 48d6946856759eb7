package import Postgres
package import Runtime

/// Deletes what has run out: action codes a day past their expiry, flows, mails and spent tokens an hour past theirs, sessions ended 30 days
/// ago, rate limits that nobody is near. Any process may run it.
package struct Cleanup: Sendable {
    private static let batch: Int64 = 1000
    /// Where no index finds what to delete, so that each batch reads the table anew.
    private static let scanned: Int64 = 10_000
    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// Deletes in batches, so that no statement holds locks for long, until nothing is left to delete.
    package func run() async throws(AccountError) {
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
        // An hour late, since the clocks of two processes differ: a token must not be forgotten while one of them still takes it.
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
        // Buckets that are full say nothing. Read in the order of the table, for there is no index on the time.
        try await repeating(
            """
            DELETE FROM rate_limits WHERE ctid = ANY (ARRAY
                (SELECT ctid FROM rate_limits WHERE full_at < \(hourAgo) LIMIT \(Self.scanned) FOR UPDATE SKIP LOCKED)) RETURNING 1::bigint
            """,
            batch: Self.scanned)
    }

    /// Marks sessions as ended that were not refreshed for their project's `sessionIdle`, and an hour more. They are refused anyway: this
    /// is so that they go away, so once an hour is enough for reading the whole table.
    package func endIdleSessions(of projects: [ProjectSettings]) async throws(AccountError) {
        let now = clock.now()
        for project in projects {
            guard let idle = project.sessionIdle else { continue }
            try await repeating(
                """
                UPDATE sessions SET ended_at = \(now), end_reason = 'idle' WHERE ctid = ANY (ARRAY
                    (SELECT ctid FROM sessions WHERE project_id = \(project.id) AND ended_at IS NULL
                        AND refreshed_at < \(now - idle - .seconds(3600)) LIMIT \(Self.scanned) FOR UPDATE SKIP LOCKED))
                RETURNING 1::bigint
                """,
                batch: Self.scanned)
        }
    }

    private func delete(_ statement: SQL) async throws(AccountError) { try await repeating(statement, batch: Self.batch) }

    private func repeating(_ statement: SQL, batch: Int64) async throws(AccountError) {
        while try await storage.write(statement).count == Int(batch) {}
    }
}
