import Postgres
package import ProjectSettings
import Runtime

/// Makes a delivery for each endpoint that is to be told of an act.
///
/// The act's own transaction writes the endpoints' names into its audit event, and nothing else, so that an act costs the same whether it is
/// told or not, and is told whenever it happened. The delivery worker then comes here, project by project.
package struct EventFanOut: Sendable {
    /// The acts of one transaction.
    private static let batch = 1000

    let storage: Storage
    let deliveries: Deliveries

    package init(_ deliveries: Deliveries) {
        storage = deliveries.storage
        self.deliveries = deliveries
    }

    /// Makes the deliveries of the oldest acts of a project that are not told yet, and returns the number of these acts. What is older than a
    /// delivery may become is left out: the project's file had no endpoints for a while. Acts that a newer version wrote wait for it, and so do
    /// endpoints that only its processes know: that is for `EventDelivery`.
    package func run(in project: ProjectSettings) async throws(AccountError) -> Int {
        let oldest = deliveries.clock.now() - DeliveryKind.event.patience
        // Two processes do not meet: each takes the rows that the other has not locked.
        return try await storage.transaction(waitingFor: "events") { transaction in
            let rows = try await transaction.query(
                """
                WITH due AS MATERIALIZED (
                    SELECT event_id, recipients FROM audit_events
                    WHERE project_id = \(project: project) AND recipients IS NOT NULL AND action = ANY(\(Self.actions))
                    ORDER BY event_id LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED)
                UPDATE audit_events AS e SET recipients = NULL FROM due
                WHERE e.project_id = \(project: project) AND e.event_id = due.event_id
                RETURNING e.action, e.account_id, e.provider_id, e.occurred_at, due.recipients
                """)
            var statements: [SQL] = []
            for row in rows {
                var row = row.reader()
                let (action, accountID): (String, String?) = (try row.next(), try row.next())
                let (providerID, time): (String?, Instant) = (try row.next(), try row.next())
                let endpoints: [String] = try row.next()
                guard time > oldest, let accountID, let type = AuditEvent.Action(rawValue: action).flatMap(EventType.init(telling:)) else {
                    continue
                }
                statements += endpoints.map { endpoint in
                    deliveries.insert(OutgoingEvent(type, of: accountID, providerID: providerID, at: time, to: endpoint), in: project)
                }
            }
            _ = try await transaction.query(all: statements)
            return rows.count
        }
    }

    private static let actions = AuditEvent.Action.allCases.map(\.rawValue)
}
