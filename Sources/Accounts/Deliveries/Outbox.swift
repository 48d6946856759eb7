import Crypto
package import Postgres
package import ProjectSettings
package import Runtime

/// The mails among the deliveries.
///
/// A rule puts `enqueue` among the statements of the transaction that makes the code, and calls `wakeWorker` after the commit. The id of a
/// mail's row is the Message-ID of every attempt.
package struct Outbox: Sendable {
    let deliveries: Deliveries

    package init(_ deliveries: Deliveries) { self.deliveries = deliveries }

    /// The statement that adds `mail` to the outbox, for the transaction that makes its link work.
    ///
    /// - Parameters:
    ///   - expires: the time at which the link stops working.
    ///   - purpose: what the mail is for, so that it is not sent once that is gone (`withdraw`): the hash of its code, or the id of the request
    ///     that its digits belong to.
    package func enqueue(_ mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL {
        deliveries.insert(mail, until: expires, for: purpose, in: project)
    }

    /// The statement that lists `mail` among the `recent` ones, although its link was given to an administrator and the mail is not sent; `nil`
    /// outside development.
    func enqueueForRecent(_ mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL? {
        guard deliveries.keepsDelivered else { return nil }
        return deliveries.insert(mail, until: expires, for: purpose, in: project, isDue: false, attempts: 1)
    }

    /// The same statement with the same cost for a mail that must not be sent, because no account has the address or another one already
    /// has it. So the caller cannot find out by the time it takes (SEC-15). A hook is asked about it all the same, so that it does not find out
    /// either.
    package func enqueueDecoy(of mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL {
        var decoy = mail
        decoy.to = ""
        return deliveries.insert(decoy, until: expires, for: purpose, in: project, isDue: mail.hooked != nil)
    }

    /// Takes back the mails of a project that wait for a purpose which is gone: a part of a statement, for the transaction that ends it.
    ///
    /// - Parameter purposes: a query for the purposes, in one column.
    static func withdraw(_ purposes: SQL, in project: ProjectSettings) -> SQL {
        "DELETE FROM deliveries WHERE project_id = \(project: project) AND kind = 'mail' AND purpose IN (\(purposes))"
    }

    /// Wakes the delivery worker of this process; call it after the commit. Without it, the mail is sent some seconds later.
    package func wakeWorker(in project: ProjectSettings) { deliveries.wakeWorker(for: .mail, in: project) }

    /// The mails that still matter, newest first, with the sent ones when those are kept. Only for development, since a reader of them has
    /// their links. Decoys are left out.
    package func recent(in project: ProjectSettings, limit: Int = 1000) async throws(AccountError) -> [OutgoingMail] {
        guard deliveries.keepsDelivered else { return [] }
        let rows = try await deliveries.storage.read(
            """
            SELECT delivery_id, payload FROM deliveries
            WHERE project_id = \(project: project) AND kind = 'mail' AND expires_at > \(deliveries.clock.now())
                AND (attempts > 0 OR due_at < 'infinity')
            ORDER BY created_at DESC LIMIT \(limit)
            """)
        return try reading {
            try rows.compactMap { row in
                var row = row.reader()
                let (id, sealed): ([UInt8], [UInt8]) = (try row.next(), try row.next())
                let mail: OutgoingMail? = deliveries.payload(sealed, project.storageID, id)
                return mail?.isDecoy == true ? nil : mail
            }
        }
    }
}
