package import Postgres
package import Runtime

/// Deletes what has run out: flows an hour past their expiry, spent tokens, sessions ended 30 days ago. Any process may run it.
package struct Cleanup: Sendable {
    private static let batch: Int64 = 1000
    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// One batch of each kind, so that no statement holds locks for long.
    package func run() async throws(AccountError) {
        let now = clock.now()
        for statement in [
            """
            DELETE FROM sign_in_flows WHERE (project_id, flow_id) IN
                (SELECT project_id, flow_id FROM sign_in_flows WHERE expires_at < \(now - .seconds(3600)) LIMIT \(Self.batch))
            """,
            """
            DELETE FROM spent_tokens WHERE (project_id, token_id) IN
                (SELECT project_id, token_id FROM spent_tokens WHERE expires_at < \(now) LIMIT \(Self.batch))
            """,
            """
            DELETE FROM sessions WHERE (project_id, session_id) IN
                (SELECT project_id, session_id FROM sessions WHERE ended_at < \(now - .seconds(30 * 86400)) LIMIT \(Self.batch))
            """,
        ] as [SQL] {
            _ = try await storage.write(statement)
        }
    }
}
