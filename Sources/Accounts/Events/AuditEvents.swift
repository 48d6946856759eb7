package import Postgres
package import Runtime

/// The record of what was done to accounts. `AuditedAct` writes it, `Cleanup` deletes what is too old.
package struct AuditEvents: Sendable {
    static let order = TimeOrder(table: "audit_events", number: "event_id")

    /// The name, in place of a project's, for the entries that concern all projects.
    package static let server = ""

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// Which entries of a project to read: those for which everything that is given is true.
    package struct Filter: Sendable {
        /// The account that they are about.
        package var accountID: String?
        /// The hashes of an address without an account that they are about (`AddressHashes`).
        package var emailHashes: [String] = []
        /// The name of an `AuditEvent.Action`.
        package var action: String?
        /// The kind of the actor, a command, or a service account: its name, its e-mail, or the `client_id` of its key files.
        package var actor: String?
        package var since: Instant?
        /// The entries of this time are left out.
        package var until: Instant?

        package init() {}

        fileprivate func condition(in projectID: String) -> SQL {
            (placed(in: projectID) + others(in: projectID)).joined(by: " AND ")
        }

        /// The conditions that an index answers in the order of time.
        func placed(in projectID: String) -> [SQL] {
            TimeOrder.conditions(of: accountID, since: since, until: until, in: projectID)
        }

        /// The conditions that are asked of each entry.
        func others(in projectID: String) -> [SQL] {
            var conditions: [SQL] = []
            if !emailHashes.isEmpty { conditions.append("details->>'emailHash' = ANY(\(emailHashes))") }
            if let action { conditions.append("action = \(action)") }
            if let actor {
                let account = ServiceAccountEmail(actor, in: projectID)?.text
                conditions.append(
                    """
                    (actor_kind = \(actor) OR actor = \(actor) OR actor = \(account) OR actor = (
                        SELECT email FROM service_accounts WHERE project_id = \(project: projectID) AND client_id = \(actor)))
                    """)
            }
            return conditions
        }
    }

    /// The newest entries of a project, in the order of their time.
    package func list(of accountID: String? = nil, limit: Int, in projectID: String) async throws(AccountError) -> [AuditEvent] {
        var filter = Filter()
        filter.accountID = accountID
        var events: [AuditEvent] = []
        try await read(filter, newest: limit, in: projectID) { events += $0 }
        return events
    }

    /// Reads the entries in the order of their time, some at a time, so that any number of them takes little memory.
    ///
    /// - Parameter limit: how many to read at most, the newest ones; `nil` for all.
    package func read(
        _ filter: Filter, newest limit: Int? = nil, in projectID: String, _ body: ([AuditEvent]) -> Void
    ) async throws(AccountError) {
        try await Self.order.read(
            AuditEvent.columns, where: filter.condition(in: projectID), newest: limit, from: storage, as: AuditEvent.init, body)
    }
}
