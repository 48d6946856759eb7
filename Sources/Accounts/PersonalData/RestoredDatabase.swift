package import Postgres
package import Runtime

/// Ends every session of a database that was restored from a backup: the backup has sessions again that were ended since.
package struct RestoredDatabase: Sendable {
    /// The number of rows that one statement changes.
    private static let piece = 1000

    private let storage: Storage
    private let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// Ends all sessions of a project and all sign-ins that are half done, forgets browsers that needed no second factor, and ends all codes in mails
    /// but those by which an owner takes an account back. Returns how many sessions were ended. It can be repeated.
    package func endSessions(in project: String) async throws(AccountError) -> Int {
        let now = clock.now()
        let second = Instant(seconds: now.seconds)
        var position = ""
        while true {
            let rows = try await storage.write(
                """
                WITH piece AS (
                    SELECT account_id FROM accounts WHERE project_id = \(project: project) AND account_id > \(position)
                    ORDER BY account_id LIMIT \(Self.piece)),
                ended AS (
                    UPDATE accounts a SET valid_since = \(second), sessions_ended_at = \(now) FROM piece
                    WHERE a.project_id = \(project: project) AND a.account_id = piece.account_id)
                SELECT max(account_id) FROM piece
                """)
            guard let last = try reading({ try rows.first?.value(as: String?.self) ?? nil }) else { break }
            position = last
        }
        var ended = 0
        while true {
            let rows = try await storage.write(
                """
                UPDATE sessions SET ended_at = \(now), end_reason = 'restored' WHERE project_id = \(project: project) AND session_id = ANY(ARRAY(
                    SELECT session_id FROM sessions WHERE project_id = \(project: project) AND end_reason IS NULL LIMIT \(Self.piece)))
                RETURNING 1::bigint
                """)
            ended += rows.count
            if rows.count < Self.piece { break }
        }
        _ = try await storage.write(all: [
            "DELETE FROM action_codes WHERE project_id = \(project: project) AND kind <> 'recoverEmail'",
            "DELETE FROM remembered_devices WHERE project_id = \(project: project)",
            "DELETE FROM pending_sign_ins WHERE project_id = \(project: project)",
        ])
        return ended
    }

    /// Ends all sessions of operators at the console, and the addresses that open it. Removes the operators' passkeys, too: one that was lost and
    /// removed since the backup would open the console again. The provider lets operators in, and then they add new ones.
    package func endOperatorSessions() async throws(AccountError) {
        _ = try await storage.write(all: ["DELETE FROM operator_passkeys", "DELETE FROM console_sessions", "DELETE FROM console_openings"])
    }

    /// Records for all projects that the database was restored, and what was done with it.
    package func record(endedSessions ended: Int, erased: Int, by administrator: Administrator) async throws(AccountError) {
        let act = administrator.act(on: nil, at: clock.now())
        _ = try await storage.write(
            act.record(
                .databaseRestored, facts: "'endedSessions', \(Int64(ended)), 'erased', \(Int64(erased))", in: AuditEvents.server))
    }
}
