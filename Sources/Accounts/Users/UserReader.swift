import Postgres
import ProjectSettings
import Runtime

/// Reads what is stored of one account, for an operator.
package struct UserReader: Sendable {
    /// The most sessions that are listed.
    package static let most = 50
    /// The most audit events that are listed.
    package static let mostEvents = 20

    let storage: Storage
    let clock: Clock

    /// Everything that an operator sees of the account; `nil` where there is none with this id. Two round trips: the first says by which address and
    /// number the person's limits are counted.
    package func details(of id: String, by administrator: Administrator) async throws(AccountError) -> UserDetails? {
        let (project, now) = (administrator.project, clock.now())
        guard let account = try Account.one(of: await storage.read(Account.select("a.account_id = \(id)", in: project))) else { return nil }
        let person = LimitedPerson(accountID: id, email: account.email, phoneNumber: account.phoneNumber, address: nil)
        let results = try await storage.look(all: [
            """
            SELECT provider_id, linked_at, last_sign_in_at, linked_unproven FROM identities
            WHERE project_id = \(project: project) AND account_id = \(id)
            """,
            Passkey.select(of: id, in: project),
            """
            SELECT \(UserSession.columns) FROM sessions
            WHERE project_id = \(project: project) AND account_id = \(id) AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > \(now))
            ORDER BY coalesce(refreshed_at, created_at) DESC LIMIT \(Self.most)
            """,
            """
            SELECT ended_at, end_reason FROM (
                SELECT ended_at, end_reason FROM sessions
                WHERE project_id = \(project: project) AND account_id = \(id) AND ended_at IS NOT NULL OFFSET 0) ended
            ORDER BY ended_at DESC LIMIT 1
            """,
            """
            SELECT (SELECT count(*) FROM remembered_devices WHERE project_id = \(project: project) AND account_id = \(id) AND expires_at > \(now)),
                (SELECT count(*) FROM recovery_codes WHERE project_id = \(project: project) AND account_id = \(id))
            """,
            person.counted(in: project, at: now),
            """
            SELECT \(AuditEvent.columns) FROM audit_events WHERE project_id = \(project: project) AND account_id = \(id)
            ORDER BY occurred_at DESC, event_id DESC LIMIT \(Self.mostEvents)
            """,
        ])
        return try reading { try UserDetails(account, results, person, in: project, at: now) }
    }
}

extension UserDetails {
    /// - Parameter results: the rows of the statements of `UserReader.details`, in their order.
    fileprivate init(
        _ account: Account, _ results: [[Row]], _ person: LimitedPerson, in project: ProjectSettings, at now: Instant
    ) throws {
        self.account = account
        for row in results[0] {
            let (providerID, times) = try IdentityTimes.entry(row)
            identityTimes[providerID] = times
        }
        passkeys = try results[1].map { row throws(PostgresError) in
            var row = row.reader()
            return try Passkey(&row)
        }
        sessions = try results[2].compactMap(UserSession.init)
        if var row = results[3].first?.reader() {
            lastEnding = SessionEnding(time: try row.next(), reason: try row.next())
        }
        if var row = results[4].first?.reader() {
            rememberedBrowsers = try row.next()
            recoveryCodes = try row.next()
        }
        limits = try person.limits(results[5], in: project, at: now)
        events = try results[6].reversed().map { row throws(PostgresError) in
            var row = row.reader()
            return try AuditEvent(&row)
        }
    }
}
