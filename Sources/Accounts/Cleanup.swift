package import Postgres
package import Runtime

/// Deletes what has run out: action codes a day past their expiry, flows, mails and spent tokens an hour past theirs, sessions ended 30 days
/// ago, rate limits that nobody is near. Any process may run it.
package struct Cleanup: Sendable {
    private static let batch: Int64 = 1000
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
        try await delete(
            """
            DELETE FROM rate_limits WHERE ctid = ANY (ARRAY
                (SELECT ctid FROM rate_limits WHERE full_at < \(hourAgo) LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED)) RETURNING 1::bigint
            """)
    }

    private func delete(_ statement: SQL) async throws(AccountError) {
        while try await storage.write(statement).count == Int(Self.batch) {}
    }
}
