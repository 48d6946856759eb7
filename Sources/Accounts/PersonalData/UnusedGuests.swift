package import Postgres
package import ProjectSettings
package import Runtime

/// Deletes anonymous accounts that were not used for as long as their project says (`anonymous.deleteAfter`). Work that no request waits for.
///
/// An account that came by an import, or that an administrator made and that never signed in, is not an anonymous one.
package struct UnusedGuests: Sendable {
    /// The name of the command that audit events give.
    private static let actor = AuditEvent.Actor.command("clean-up")

    private let storage: Storage
    private let clock: Clock
    /// The number of accounts that one statement reads.
    private let piece: Int

    package init(database: Database, clock: Clock, piece: Int = 1000) {
        storage = Storage(database: database)
        self.clock = clock
        self.piece = piece
    }

    /// Goes over the projects, also behind one that failed; throws the first error at the end.
    package func delete(in projects: [ProjectSettings]) async throws(AccountError) {
        var first: AccountError?
        for project in projects {
            guard let age = project.anonymousAccounts.deleteAfter else { continue }
            do { try await delete(in: project, unusedSince: clock.now() - age) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    private func delete(in project: ProjectSettings, unusedSince deadline: Instant) async throws(AccountError) {
        let isUnused = Self.isUnused(since: deadline, in: project)
        var position = ""
        while true {
            let rows = try await storage.read(
                """
                SELECT a.account_id, \(isUnused) FROM accounts a WHERE a.project_id = \(project: project) AND a.account_id > \(position)
                ORDER BY a.account_id LIMIT \(piece)
                """)
            var unused: [String] = []
            for row in rows {
                var row = row.reader()
                let (id, isUnused): (String, Bool) = try reading { (try row.next(), try row.next()) }
                position = id
                if isUnused { unused.append(id) }
            }
            if !unused.isEmpty {
                let act = AuditedAct(by: Self.actor, on: nil, from: nil, at: clock.now())
                // Those that are still unused once they are locked.
                _ = try await storage.write(all: AccountDeletion.statements(deleting: unused, if: isUnused, by: act, in: project))
            }
            if rows.count < piece { return }
        }
    }

    /// A condition on an account `a`.
    private static func isUnused(since deadline: Instant, in project: ProjectSettings) -> SQL {
        """
        (a.created_at < \(deadline) AND coalesce(a.last_login_at < \(deadline), false) AND coalesce(a.last_refresh_at < \(deadline), true)
        AND a.email IS NULL AND a.phone_number IS NULL AND NOT a.custom_auth AND NOT EXISTS (
            SELECT 1 FROM identities i WHERE i.project_id = \(project: project) AND i.account_id = a.account_id)
        AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.project_id = \(project: project) AND p.account_id = a.account_id)
        AND NOT EXISTS (SELECT 1 FROM imported_accounts m WHERE m.project_id = \(project: project) AND m.account_id = a.account_id)
        AND NOT EXISTS (
            SELECT 1 FROM sessions s WHERE s.project_id = \(project: project) AND s.account_id = a.account_id AND s.refreshed_at >= \(deadline)))
        """
    }
}
