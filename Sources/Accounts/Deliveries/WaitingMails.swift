import Crypto
import Postgres
package import Runtime

/// A mail in the outbox as an operator may see it, without its recipient and its link.
package struct WaitingMail: Sendable {
    package let projectID: String
    package let id: [UInt8]
    /// `nil` when no listed master key opens it.
    package let kind: OutgoingMail.Kind?
    package let attempts: Int
    package let createdAt: Instant
    /// The time of the next attempt; during an attempt, the time of the next one in case it does not end.
    package let dueAt: Instant
    package let expiresAt: Instant
}

extension Outbox {
    package var waiting: WaitingMails { WaitingMails(deliveries: deliveries) }
}

/// Shows operators the mails that wait to be sent, and has them tried at once. It asks one project after the other.
package struct WaitingMails: Sendable {
    let deliveries: Deliveries

    private var storage: Storage { deliveries.storage }
    private var waits: SQL { "kind = 'mail' AND due_at < 'infinity' AND expires_at > \(deliveries.clock.now())" }

    /// The number of mails of these projects that wait to be sent, and the time since which the oldest has waited.
    package func depth(in projects: some Sequence<String>) async throws(AccountError) -> (count: Int, oldest: Instant?) {
        var depth: (count: Int, oldest: Instant?) = (0, nil)
        for id in projects {
            let rows = try await storage.read(
                "SELECT count(*), min(created_at) FROM deliveries WHERE project_id = \(project: id) AND \(waits)")
            guard var row = rows.first?.reader() else { continue }
            let (count, oldest): (Int, Instant?) = try reading { (try row.next(), try row.next()) }
            depth = (depth.count + count, [depth.oldest, oldest].compactMap(\.self).min())
        }
        return depth
    }

    /// The mails of these projects that wait to be sent, the oldest first.
    package func list(limit: Int, in projects: [String]) async throws(AccountError) -> [WaitingMail] {
        var mails: [WaitingMail] = []
        for id in projects {
            let rows = try await storage.read(
                """
                SELECT delivery_id, payload, attempts, created_at, due_at, expires_at FROM deliveries
                WHERE project_id = \(project: id) AND \(waits) ORDER BY created_at LIMIT \(limit)
                """)
            mails += try reading { try rows.map { row throws(PostgresError) in try waitingMail(row, in: id) } }
        }
        return Array(mails.sorted { $0.createdAt < $1.createdAt }.prefix(limit))
    }

    private func waitingMail(_ row: Row, in projectID: String) throws(PostgresError) -> WaitingMail {
        var row = row.reader()
        let (id, payload): ([UInt8], [UInt8]) = (try row.next(), try row.next())
        let mail: OutgoingMail? = deliveries.payload(payload, projectID, id)
        return WaitingMail(
            projectID: projectID, id: id, kind: mail?.kind, attempts: try row.next(),
            createdAt: try row.next(), dueAt: try row.next(), expiresAt: try row.next())
    }

    /// Makes waiting mails due at once. Mails that are due within a minute anyway are left alone, since one of them may be being sent, and
    /// must not be sent twice.
    ///
    /// - Returns: the number of mails that are due at once now, and of those that wait, these included.
    ///
    /// - Parameter operatorAct: the act of the console; `nil` for the command.
    package func retryNow(in projects: [String], by operatorAct: OperatorAct? = nil) async throws(AccountError) -> (
        hastened: Int, waiting: Int
    ) {
        var outcome = (hastened: 0, waiting: 0)
        let now = deliveries.clock.now()
        for id in projects {
            let act = AuditedAct(operatorAct, orCommand: "mails retry", at: now)
            let rows = try await storage.write(
                """
                WITH hastened AS (
                    UPDATE deliveries SET due_at = \(now)
                    WHERE project_id = \(project: id) AND due_at > \(now + Deliveries.lease) AND \(waits) RETURNING 1
                ),
                recorded AS (
                    \(act.record(.deliveriesRepeated, facts: "'kind', 'mail', 'count', (SELECT count(*) FROM hastened)", in: id))
                    WHERE EXISTS (SELECT 1 FROM hastened)
                )
                SELECT (SELECT count(*) FROM hastened), (SELECT count(*) FROM deliveries WHERE project_id = \(project: id) AND \(waits))
                """)
            guard var row = rows.first?.reader() else { continue }
            let (hastened, waiting): (Int, Int) = try reading { (try row.next(), try row.next()) }
            outcome = (outcome.hastened + hastened, outcome.waiting + waiting)
        }
        return outcome
    }
}
