import Crypto
import Postgres
package import Runtime

/// A mail that was given up, as an operator may see it. Neither its recipient nor its link is kept.
package struct GivenUpMail: Sendable {
    /// The number that the log has.
    package let id: [UInt8]
    /// `nil` when no listed master key opens it.
    package let kind: OutgoingMail.Kind?
    package let reason: String?
    package let attempts: Int
    package let createdAt: Instant
    package let givenUpAt: Instant
}

extension Outbox {
    package var givenUp: GivenUpMails { GivenUpMails(deliveries: deliveries) }
}

/// Shows operators the mails of the last two weeks that were given up: how many, and why.
package struct GivenUpMails: Sendable {
    /// How long a mail is kept that was given up.
    static let lifetime: Duration = .seconds(14 * 86400)

    let deliveries: Deliveries

    /// The index of what is due finds them: they are never due.
    private func condition(in project: String) -> SQL {
        """
        project_id = \(project: project) AND kind = 'mail' AND due_at = 'infinity' AND outcome = 'failed'
            AND expires_at > \(deliveries.clock.now())
        """
    }

    package func count(in project: String) async throws(AccountError) -> Int {
        let rows = try await deliveries.storage.read("SELECT count(*) FROM deliveries WHERE \(condition(in: project))")
        return try reading { try rows.first?.value() ?? 0 }
    }

    /// Those that were given up last, the newest first.
    package func list(newest limit: Int, in project: String) async throws(AccountError) -> [GivenUpMail] {
        let rows = try await deliveries.storage.read(
            """
            SELECT delivery_id, payload, attempts, created_at, expires_at FROM deliveries
            WHERE \(condition(in: project)) ORDER BY expires_at DESC, delivery_id LIMIT \(limit)
            """)
        return try reading { try rows.map { row throws(PostgresError) in try mail(row, in: project) } }
    }

    private func mail(_ row: Row, in project: String) throws(PostgresError) -> GivenUpMail {
        var row = row.reader()
        let (id, payload): ([UInt8], [UInt8]) = (try row.next(), try row.next())
        let (attempts, createdAt): (Int, Instant) = (try row.next(), try row.next())
        let expiresAt: Instant = try row.next()
        let mail: OutgoingMail? = deliveries.payload(payload, project, id)
        return GivenUpMail(
            id: id, kind: mail?.kind, reason: mail?.reasonOfFailure, attempts: attempts, createdAt: createdAt,
            givenUpAt: expiresAt - Self.lifetime)
    }
}

extension OutgoingMail {
    /// The mail without the person and without the secrets.
    package func remains(because reason: String) -> OutgoingMail? {
        var remains = OutgoingMail(kind, to: "", language: language, link: "")
        remains.reasonOfFailure = reason
        return remains
    }
}

extension Deliveries {
    /// The beginning of the statement that gives a delivery up: it keeps what operators can list, and deletes everything else.
    ///
    /// - Parameter reason: `nil` for a delivery of which nothing is to be told.
    func ending<Payload>(of due: LeasedDelivery<Payload>, because reason: String?) -> SQL {
        if Payload.deliveryKind.isRecorded { return "UPDATE deliveries SET due_at = 'infinity', outcome = 'failed'" }
        guard let reason, let remains = due.payload.remains(because: reason)?.padded() else { return "DELETE FROM deliveries" }
        let sealed = masterKey.deliveries.seal(remains, context: Self.context(due.projectID, due.id))
        // Without its purpose, it stays when the code of the mail goes.
        return """
            UPDATE deliveries SET due_at = 'infinity', outcome = 'failed', payload = \(sealed), purpose = NULL,
                expires_at = \(clock.now() + GivenUpMails.lifetime)
            """
    }
}
