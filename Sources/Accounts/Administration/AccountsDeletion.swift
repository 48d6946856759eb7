import Postgres
import ProjectSettings
import Runtime
package import Text

extension AccountDeletion {
    /// Removes many accounts in one transaction, as `delete` removes one. An account that is not there is removed already.
    ///
    /// - Parameter enabledToo: whether accounts that are not disabled are removed as well.
    /// - Returns: the ids of those that stay because they are not disabled.
    package func deleteAll(
        of ids: [String], enabledToo: Bool, by administrator: Administrator
    ) async throws(AccountError) -> Set<UTF8Text> {
        let project = administrator.project
        let statements = Self.statements(
            deleting: ids, if: "held.disabled OR \(enabledToo)", by: administrator.act(on: nil, at: clock.now()), in: project)
        let results = try await storage.write(all: statements, by: administrator)
        return Set(try reading { try (results.first ?? []).map { row throws(PostgresError) in UTF8Text(try row.value(as: String.self)) } })
    }

    /// The statements that remove many accounts in one transaction. The first returns the ids of those that stay.
    ///
    /// - Parameter condition: which of them go. It may name the account as `a`, and as `held` its `disabled` as it is once the account is locked.
    static func statements(deleting ids: [String], if condition: SQL, by act: AuditedAct, in project: ProjectSettings) -> [SQL] {
        let facts = AuditedAct.factsOfDeletion(of: "gone", in: project)
        return [
            // All are locked first, in one order, so that two calls with the same ids never wait for one another.
            """
            WITH held AS MATERIALIZED (
                SELECT account_id, disabled FROM accounts WHERE project_id = \(project: project) AND account_id = ANY(\(ids))
                ORDER BY account_id FOR UPDATE
            ), gone AS (
                DELETE FROM accounts a USING held WHERE a.project_id = \(project: project) AND a.account_id = held.account_id
                    AND (\(condition)) RETURNING a.account_id, a.email, a.created_at
            ), \(endCodes(in: project)), recorded AS (
                INSERT INTO audit_events \(AuditedAct.columns)
                SELECT \(act.values(.accountDeleted, accountID: "gone.account_id", facts: facts, in: project)) FROM gone ORDER BY gone.account_id
            )
            SELECT account_id FROM held WHERE account_id NOT IN (SELECT account_id FROM gone)
            """,
            """
            UPDATE sessions s SET ended_at = coalesce(ended_at, \(act.time)), end_reason = 'account deleted', user_agent = NULL, address = NULL,
                developer_claims = NULL
            WHERE project_id = \(project: project) AND account_id = ANY(\(ids)) AND NOT EXISTS (
                SELECT 1 FROM accounts a WHERE a.project_id = \(project: project) AND a.account_id = s.account_id)
            """,
        ]
    }
}
