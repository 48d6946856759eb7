package import Postgres
package import Runtime

/// The record of what was done to accounts. `AuditedAct` writes it, `Cleanup` deletes what is too old.
package struct AuditEvents: Sendable {
    /// The number of entries that one statement reads.
    private static let page = 1000

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
            var conditions: [SQL] = ["project_id = \(project: projectID)"]
            if let accountID { conditions.append("account_id = \(accountID)") }
            if let since { conditions.append("occurred_at >= \(since)") }
            if let until { conditions.append("occurred_at < \(until)") }
            return conditions
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
        let condition = filter.condition(in: projectID)
        var position = try await start(condition, limit)
        var left = limit ?? .max
        while left > 0 {
            let count = min(Self.page, left)
            let after: SQL = position.map { " AND (occurred_at, event_id) > (\($0.time), \($0.id))" } ?? ""
            let rows = try await storage.read(
                """
                SELECT event_id, \(AuditEvent.columns) FROM audit_events WHERE \(condition)\(after)
                ORDER BY occurred_at, event_id LIMIT \(count)
                """)
            var events: [AuditEvent] = []
            for row in rows {
                var row = row.reader()
                let (id, event): (Int64, AuditEvent) = try reading { (try row.next(), try AuditEvent(&row)) }
                events.append(event)
                position = (event.time, id)
            }
            if !events.isEmpty { body(events) }
            if rows.count < count { return }
            left -= count
        }
    }

    /// The place of the entry before the newest `limit` ones; `nil` where these are all.
    private func start(_ condition: SQL, _ limit: Int?) async throws(AccountError) -> (time: Instant, id: Int64)? {
        guard let limit else { return nil }
        let rows = try await storage.read(
            """
            SELECT occurred_at, event_id FROM audit_events WHERE \(condition)
            ORDER BY occurred_at DESC, event_id DESC OFFSET \(limit) LIMIT 1
            """)
        guard var row = rows.first?.reader() else { return nil }
        return try reading { (try row.next(), try row.next()) }
    }
}
