package import Postgres

/// The record of what was done to accounts. `AuditedAct` writes it, `Cleanup` deletes what is too old.
package struct AuditEvents: Sendable {
    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// The newest entries of a project, in the order in which they were written.
    ///
    /// - Parameter accountID: the account that they are about; `nil` for those of all accounts.
    package func list(
        of accountID: String? = nil, limit: Int, in projectID: String
    ) async throws(AccountError) -> [AuditEvent] {
        let ofAccount: SQL = accountID.map { " AND account_id = \($0)" } ?? ""
        let rows = try await storage.read(
            """
            SELECT \(AuditEvent.columns) FROM audit_events WHERE project_id = \(projectID)\(ofAccount)
            ORDER BY event_id DESC LIMIT \(limit)
            """)
        return try reading { try rows.map(AuditEvent.init) }.reversed()
    }
}
