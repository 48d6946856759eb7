import Postgres
package import ProjectSettings
import Runtime

/// Removes accounts with all that belongs to them.
package struct AccountDeletion: Sendable {
    let storage: Storage
    let clock: Clock
    let idTokens: IDTokens
    let limits: RateLimits

    /// Removes the caller's own account, shortly after they signed in; see `delete(_:by:)`.
    package func delete(
        forIDToken idToken: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        try await limits.charge(.deleteAccount, in: project, from: client)
        try await retryingConflicts { () async throws(AccountError) in
            let (account, token) = try await idTokens.account(of: idToken, in: project)
            guard project.signIn.deletion else { throw .adminOnly }
            try idTokens.requireFresh(token, of: account, in: project)
            let act = AuditedAct(by: .person, on: account.id, from: client, at: clock.now())
            _ = try await storage.write(
                all: [act.recordDeletion(in: project), deletion(of: account.id, only: account.sessionsStand, in: project)]
                    + token.holdSession(in: project) + [endSessions(ofDeleted: account.id, in: project)],
                waitingFor: account.id)
        }
    }

    /// Removes the account with all that belongs to it. Its sessions stay as ended rows without personal data, so that their refresh tokens
    /// are answered with `USER_NOT_FOUND` and not as forged ones. Throws `accountNotFound`.
    package func delete(_ id: String, by administrator: Administrator) async throws(AccountError) {
        let (project, act) = (administrator.project, administrator.act(on: id, at: clock.now()))
        let statements = [
            act.recordDeletion(in: project), deletion(of: id, only: "true", in: project), endSessions(ofDeleted: id, in: project),
        ]
        do { _ = try await storage.write(all: statements, by: administrator, waitingFor: id) } catch {
            if case .conflict = error { throw .accountNotFound }
            throw error
        }
    }

    /// Removes every account of the project without a trace: also sessions, sign-ins under way, codes, mails, audit events, and what was
    /// counted against its limits.
    ///
    /// For test suites in development mode; nothing in production calls it. One-time tokens that were spent stay spent.
    package func deleteAll(by administrator: Administrator) async throws(AccountError) {
        let project = administrator.project
        let statements = Table.all.filter { $0.whenAccountsGo == .areDeleted }.map { table -> SQL in
            "DELETE FROM \(table.sql) WHERE project_id = \(project: project)"
        }
        _ = try await storage.write(all: statements, by: administrator)
    }

    /// Also deletes the codes that sign in to the account's address, since they belong to the address alone, what digits prove at hosted pages,
    /// and the mails that wait with any of these. The database deletes what else belongs to the account.
    /// - Parameter condition: the whole write is undone unless it is true for the account, as by `SQL.required`.
    private func deletion(of id: String, only condition: SQL, in project: ProjectSettings) -> SQL {
        """
        WITH gone AS (
            DELETE FROM accounts WHERE project_id = \(project: project) AND account_id = \(id) AND \(condition) RETURNING account_id, email
        ), \(Self.endCodes(in: project))
        SELECT \(SQL.conflictIfNone) FROM gone
        """
    }

    /// Parts of a statement whose part `gone` has the ids and addresses of deleted accounts: they delete their codes and proofs, and the mails
    /// that wait with these.
    static func endCodes(in project: ProjectSettings) -> SQL {
        """
        codes AS (
            DELETE FROM action_codes WHERE project_id = \(project: project) AND code_hash IN (
                SELECT c.code_hash FROM gone JOIN action_codes c ON c.project_id = \(project: project) AND c.account_id = gone.account_id
                UNION ALL
                SELECT c.code_hash FROM gone
                JOIN action_codes c ON c.project_id = \(project: project) AND c.account_id IS NULL AND c.email = gone.email)
            RETURNING code_hash
        ), proofs AS (
            \(EmailCodes.voidProofs(of: "IN (SELECT email FROM gone)", in: project)) RETURNING request_id
        ), mails AS (
            \(Outbox.withdraw("SELECT code_hash FROM codes UNION ALL SELECT request_id FROM proofs", in: project))
        )
        """
    }

    private func endSessions(ofDeleted id: String, in project: ProjectSettings) -> SQL {
        """
        UPDATE sessions SET ended_at = coalesce(ended_at, \(clock.now())), end_reason = 'account deleted', user_agent = NULL, address = NULL,
            developer_claims = NULL
        WHERE project_id = \(project: project) AND account_id = \(id)
        """
    }
}
