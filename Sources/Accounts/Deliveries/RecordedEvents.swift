import Crypto
import Postgres
package import ProjectSettings
package import Runtime

/// An event for one endpoint, and what became of it.
package struct RecordedEvent: Sendable {
    package enum Outcome: String, Sendable, CaseIterable { case waiting, delivered, failed }

    package let id: [UInt8]
    /// `nil` when no listed master key opens it.
    package let event: OutgoingEvent?
    package let outcome: Outcome
    package let attempts: Int
    package let createdAt: Instant
    /// `nil` when it is not tried again.
    package let dueAt: Instant?
}

/// The events of a project that are kept: those that wait, and for two weeks those that were delivered or given up.
package struct RecordedEvents: Sendable {
    let deliveries: Deliveries

    package init(_ deliveries: Deliveries) { self.deliveries = deliveries }

    /// Which of them; all by default.
    package struct Filter: Sendable {
        package var endpoint: String?
        package var outcome: RecordedEvent.Outcome?
        package var ids: [[UInt8]]?

        package init() {}

        fileprivate func condition(in project: ProjectSettings) -> SQL {
            var condition: SQL = "project_id = \(project: project) AND kind = \(DeliveryKind.event.rawValue)"
            if let endpoint { condition = "\(condition) AND purpose = \(Array(endpoint.utf8))" }
            switch outcome {
            case .waiting: condition = "\(condition) AND outcome IS NULL"
            case .delivered, .failed: condition = "\(condition) AND outcome = \(outcome?.rawValue)"
            case nil: break
            }
            if let ids { condition = "\(condition) AND encode(delivery_id, 'hex') = ANY(\(ids.map(Hex.encode)))" }
            return condition
        }
    }

    /// The newest ones, the newest first.
    package func list(_ filter: Filter, limit: Int, in project: ProjectSettings) async throws(AccountError) -> [RecordedEvent] {
        let rows = try await deliveries.storage.read(
            """
            SELECT delivery_id, payload, outcome, attempts, created_at, CASE WHEN due_at < 'infinity' THEN due_at END FROM deliveries
            WHERE \(filter.condition(in: project)) ORDER BY created_at DESC, delivery_id LIMIT \(limit)
            """)
        return try reading {
            try rows.map { row in
                var row = row.reader()
                let (id, sealed, outcome): ([UInt8], [UInt8], String?) = (try row.next(), try row.next(), try row.next())
                return RecordedEvent(
                    id: id, event: deliveries.payload(sealed, project.storageID, id),
                    outcome: outcome.flatMap(RecordedEvent.Outcome.init) ?? .waiting, attempts: try row.next(), createdAt: try row.next(),
                    dueAt: try row.next())
            }
        }
    }

    /// Has them sent again, as if they had never been tried, with the ids that they had. Leaves out those that a process is just trying. Returns
    /// their number.
    ///
    /// - Parameter operatorAct: the act of the console, which is recorded; `nil` for the command, which is not.
    package func replay(
        _ filter: Filter, in project: ProjectSettings, by operatorAct: OperatorAct? = nil
    ) async throws(AccountError) -> Int {
        let now = deliveries.clock.now()
        let act = AuditedAct(operatorAct, orCommand: "events replay", at: now)
        let facts: SQL = """
            'kind', 'event', 'count', (SELECT count(*) FROM repeated), 'first', (SELECT min(encode(delivery_id, 'hex')) FROM repeated)
            """
        let rows = try await deliveries.storage.write(
            """
            WITH repeated AS (
                UPDATE deliveries SET due_at = \(now), attempts = 0, outcome = NULL
                WHERE \(filter.condition(in: project)) AND (due_at <= \(now) OR due_at > \(now + Deliveries.lease)) RETURNING delivery_id
            ),
            recorded AS (
                \(act.record(.deliveriesRepeated, facts: facts, in: project.storageID)) WHERE EXISTS (SELECT 1 FROM repeated)
            )
            SELECT count(*) FROM repeated
            """)
        return try reading { try rows.first?.value(as: Int.self) ?? 0 }
    }
}
