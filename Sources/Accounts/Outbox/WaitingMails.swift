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
    package var waiting: WaitingMails { WaitingMails(storage: storage, masterKey: masterKey, clock: clock) }
}

/// Shows operators the mails that wait to be sent, and has them tried at once.
package struct WaitingMails: Sendable {
    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    /// The number of mails that wait to be sent, and the time since which the oldest has waited.
    package func depth() async throws(AccountError) -> (count: Int, oldest: Instant?) {
        let rows = try await storage.read(
            "SELECT count(*), min(created_at) FROM mail_outbox WHERE due_at < 'infinity' AND expires_at > \(clock.now())")
        guard var row = rows.first?.reader() else { return (0, nil) }
        return try reading { (try row.next(), try row.next()) }
    }

    /// The mails that wait to be sent, the oldest first.
    package func list(limit: Int) async throws(AccountError) -> [WaitingMail] {
        let rows = try await storage.read(
            """
            SELECT project_id, mail_id, payload, attempts, created_at, due_at, expires_at FROM mail_outbox
            WHERE due_at < 'infinity' AND expires_at > \(clock.now()) ORDER BY created_at LIMIT \(limit)
            """)
        return try reading { try rows.map(waitingMail) }
    }

    private func waitingMail(_ row: Row) throws(PostgresError) -> WaitingMail {
        var row = row.reader()
        let (projectID, id): (String, [UInt8]) = (try row.next(), try row.next())
        let payload: [UInt8] = try row.next()
        let plain = try? masterKey.outbox.open(payload, context: Outbox.context(projectID, id))
        return WaitingMail(
            projectID: projectID, id: id, kind: plain.flatMap(OutgoingMail.init(padded:))?.kind, attempts: try row.next(),
            createdAt: try row.next(), dueAt: try row.next(), expiresAt: try row.next())
    }

    /// Makes waiting mails due at once. Mails that are due within a minute anyway are left alone, since one of them may be being sent, and
    /// must not be sent twice.
    ///
    /// - Parameter projectID: `nil` for all projects.
    /// - Returns: the number of mails that are due at once now, and of those that wait, these included.
    package func retryNow(_ projectID: String?) async throws(AccountError) -> (hastened: Int, waiting: Int) {
        let now = clock.now()
        let waiting: SQL = "due_at < 'infinity' AND expires_at > \(now) AND (\(projectID) IS NULL OR project_id = \(projectID))"
        let rows = try await storage.write(
            """
            WITH hastened AS (
                UPDATE mail_outbox SET due_at = \(now) WHERE due_at > \(now + Outbox.lease) AND \(waiting) RETURNING 1
            )
            SELECT (SELECT count(*) FROM hastened), (SELECT count(*) FROM mail_outbox WHERE \(waiting))
            """)
        guard var row = rows.first?.reader() else { return (0, 0) }
        return try reading { (try row.next(), try row.next()) }
    }
}
