import Crypto
package import Postgres
package import ProjectSettings
package import Runtime

/// Stores mails between the transaction that asks for them and the mail server that accepts them.
///
/// A rule puts `enqueue` among the statements of the transaction that makes the code, and calls `wakeMailWorker` after the commit. The mail
/// worker of any process then leases the row (`claim`), sends the mail, and removes the row (`done`) or makes it wait (`failed`). When a
/// process dies in between, its lease ends and another one sends: at least once, and exactly once in all other cases. The row's id is the
/// Message-ID of every attempt.
package struct Outbox: Sendable {
    /// How long an attempt may take before another process may begin the next one. Transports give up well before.
    package static let lease: Duration = .seconds(60)
    /// A mail that could not be delivered for this long is given up, even if its link would still work.
    static let patience: Duration = .seconds(24 * 3600)
    /// The pauses after the first failures; the last one repeats.
    static let pauses: [Duration] = [.seconds(10), .seconds(30), .seconds(60), .seconds(90)]

    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock
    let wakeSignal: WakeSignal
    let keepsSent: Bool

    /// - Parameters:
    ///   - wakeSignal: wakes the mail worker of this process.
    ///   - keepsSent: keeps sent mails for `recent` until they expire; for development.
    package init(database: Database, masterKey: MasterKey, clock: Clock, wakeSignal: WakeSignal = WakeSignal(), keepsSent: Bool = false) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
        self.wakeSignal = wakeSignal
        self.keepsSent = keepsSent
    }

    /// The statement that adds `mail` to the outbox, for the transaction that makes its link work.
    ///
    /// - Parameters:
    ///   - expires: the time at which the link stops working.
    ///   - purpose: what the mail is for, so that it is not sent once that is gone (`withdraw`): the hash of its code, or the id of the request
    ///     that its digits belong to.
    package func enqueue(_ mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL {
        insert(mail, until: expires, for: purpose, in: project, sent: true)
    }

    /// The statement that lists `mail` among the `recent` ones, although its link was given to an administrator and the mail is not sent; `nil`
    /// outside development.
    func enqueueForRecent(_ mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL? {
        keepsSent ? insert(mail, until: expires, for: purpose, in: project, sent: false, attempts: 1) : nil
    }

    /// The same statement with the same cost for a mail that must not be sent, because no account has the address or another one already
    /// has it. So the caller cannot find out by the time it takes (SEC-15).
    package func enqueueDecoy(of mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings) -> SQL {
        insert(mail, until: expires, for: purpose, in: project, sent: false)
    }

    /// Takes back the mails of a project that wait for a purpose which is gone: a part of a statement, for the transaction that ends it.
    ///
    /// - Parameter purposes: a query for the purposes, in one column.
    static func withdraw(_ purposes: SQL, in project: ProjectSettings) -> SQL {
        "DELETE FROM mail_outbox WHERE project_id = \(project: project) AND purpose IN (\(purposes))"
    }

    /// Wakes the mail worker of this process; call it after the commit. Without it, the mail is sent some seconds later.
    package func wakeMailWorker(in project: ProjectSettings) { wakeSignal.send(for: project.id) }

    private func insert(
        _ mail: OutgoingMail, until expires: Instant, for purpose: [UInt8], in project: ProjectSettings, sent: Bool, attempts: Int = 0
    ) -> SQL {
        let id = Random.bytes(16)
        let now = clock.now()
        let payload = masterKey.outbox.seal(mail.padded(), context: Self.context(project.id, id))
        return """
            INSERT INTO mail_outbox (project_id, mail_id, payload, due_at, created_at, expires_at, attempts, purpose)
            VALUES (\(project: project), \(id), \(payload), CASE WHEN \(sent) THEN \(now) ELSE 'infinity'::timestamptz END, \(now),
                \(min(expires, now + Self.patience)), \(attempts), \(purpose))
            """
    }

    static func context(_ projectID: String, _ id: [UInt8]) -> String { "mail \(projectID) \(Hex.encode(id))" }
}

extension Outbox {
    /// When the next of a project's waiting mails is due; `nil` when none waits. Locks nothing.
    package func firstDue(in projectID: String) async throws(AccountError) -> Instant? {
        let rows = try await storage.read(
            """
            SELECT due_at FROM mail_outbox
            WHERE project_id = \(project: projectID) AND due_at < 'infinity' AND expires_at > \(clock.now()) ORDER BY due_at LIMIT 1
            """)
        return try reading { try rows.first?.value() }
    }

    /// Leases up to `limit` of a project's mails that are due; no other process gets them before the lease ends.
    ///
    /// - Returns: the mails, and the number of rows that this process cannot read, since they were sealed with another master key or
    ///   written by a newer version. Those stay for a process that can read them: their lease ends like any other.
    package func claim(_ limit: Int, in projectID: String) async throws(AccountError) -> (mails: [LeasedMail], unreadable: Int) {
        let now = clock.now()
        let rows = try await storage.write(
            """
            WITH due AS MATERIALIZED (
                SELECT mail_id FROM mail_outbox WHERE project_id = \(project: projectID) AND due_at <= \(now) AND expires_at > \(now)
                ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            UPDATE mail_outbox AS mail SET due_at = \(now + Self.lease), attempts = attempts + 1
            FROM due WHERE mail.project_id = \(project: projectID) AND mail.mail_id = due.mail_id
            RETURNING mail.mail_id, mail.payload, mail.attempts, mail.expires_at
            """)
        var mails: [LeasedMail] = []
        var unreadable = 0
        for row in rows {
            var row = row.reader()
            let (id, payload): ([UInt8], [UInt8]) = try reading { (try row.next(), try row.next()) }
            let (attempt, expires): (Int, Instant) = try reading { (try row.next(), try row.next()) }
            if let plain = try? masterKey.outbox.open(payload, context: Self.context(projectID, id)), let mail = OutgoingMail(padded: plain)
            {
                mails.append(LeasedMail(projectID: projectID, id: id, mail: mail, attempt: attempt, expires: expires))
            } else {
                unreadable += 1
            }
        }
        return (mails, unreadable)
    }

    /// The next server has accepted the mail; it is not sent again.
    package func done(_ due: LeasedMail) async throws(AccountError) {
        guard keepsSent else { return try await delete(due.projectID, due.id) }
        _ = try await storage.write(
            "UPDATE mail_outbox SET due_at = 'infinity' WHERE project_id = \(project: due.projectID) AND mail_id = \(due.id)")
    }

    /// The fate of a mail that was not accepted.
    package enum Fate: Sendable, Equatable {
        case retry(Instant)
        case givenUp
    }

    /// The mail was not accepted. It waits for its next attempt, unless that would come after its link has expired, or `forGood` says that
    /// no attempt can succeed.
    package func failed(_ due: LeasedMail, forGood: Bool) async throws(AccountError) -> Fate {
        let next = clock.now() + Self.pauses[min(due.attempt, Self.pauses.count) - 1]
        guard !forGood, next < due.expires else {
            try await delete(due.projectID, due.id)
            return .givenUp
        }
        // Not if the lease has ended meanwhile and another process is trying already.
        _ = try await storage.write(
            """
            UPDATE mail_outbox SET due_at = \(next)
            WHERE project_id = \(project: due.projectID) AND mail_id = \(due.id) AND attempts = \(due.attempt)
            """)
        return .retry(next)
    }

    /// The mails that still matter, newest first, with the sent ones when those are kept. Only for development, since a reader of them has
    /// their links. Decoys are left out.
    package func recent(in project: ProjectSettings, limit: Int = 1000) async throws(AccountError) -> [OutgoingMail] {
        guard keepsSent else { return [] }
        let rows = try await storage.read(
            """
            SELECT mail_id, payload FROM mail_outbox
            WHERE project_id = \(project: project.id) AND expires_at > \(clock.now()) AND (attempts > 0 OR due_at < 'infinity')
            ORDER BY created_at DESC LIMIT \(limit)
            """)
        return rows.compactMap { row in
            var row = row.reader()
            guard let id = try? row.next(as: [UInt8].self), let payload = try? row.next(as: [UInt8].self),
                let plain = try? masterKey.outbox.open(payload, context: Self.context(project.id, id))
            else { return nil }
            return OutgoingMail(padded: plain)
        }
    }

    private func delete(_ projectID: String, _ id: [UInt8]) async throws(AccountError) {
        _ = try await storage.write("DELETE FROM mail_outbox WHERE project_id = \(project: projectID) AND mail_id = \(id)")
    }
}
