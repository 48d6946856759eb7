import Crypto
package import Postgres
package import Runtime

/// Mails between the transaction that asks for them and the server that takes them.
///
/// A rule puts `enqueue` among the statements of the transaction that makes the code, and rings once that is committed. The postman of any
/// process then leases the row (`claim`), sends, and removes it (`done`) or has it wait (`failed`). A process that dies in between leaves
/// a lease that ends, and another one sends: at least once, and in all but that one case exactly once. The row's id is the Message-ID
/// of every attempt.
package struct Outbox: Sendable {
    /// How long an attempt may take before another process may begin the next one; transports give up well before.
    package static let lease: Duration = .seconds(60)
    /// A mail that could not be delivered for so long is given up, however long its link would work.
    static let patience: Duration = .seconds(24 * 3600)
    /// Pauses after the first failures; the last one repeats.
    static let pauses: [Duration] = [.seconds(10), .seconds(30), .seconds(60), .seconds(90)]

    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock
    let bell: Bell
    let keepsSent: Bool

    /// - Parameters:
    ///   - bell: wakes the postman of this process.
    ///   - keepsSent: leaves sent letters to `recent` until they expire; for development.
    package init(database: Database, masterKey: MasterKey, clock: Clock, bell: Bell = Bell(), keepsSent: Bool = false) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
        self.bell = bell
        self.keepsSent = keepsSent
    }

    /// The statement that puts `letter` into the post, for the transaction that makes its link work.
    ///
    /// - Parameter expires: when the link stops working.
    package func enqueue(_ letter: Letter, until expires: Instant, in project: ProjectSettings) -> SQL {
        insert(letter, until: expires, in: project, sent: true)
    }

    /// The same statement with the same cost for a letter that must not go out, because nobody has the address or somebody has it
    /// already: so that the caller cannot tell by the time it takes (SEC-15).
    package func enqueueDecoy(of letter: Letter, until expires: Instant, in project: ProjectSettings) -> SQL {
        insert(letter, until: expires, in: project, sent: false)
    }

    /// Wakes the postman of this process; for after the commit. Without it, the mail goes out some seconds later.
    package func ring() { bell.ring() }

    private func insert(_ letter: Letter, until expires: Instant, in project: ProjectSettings, sent: Bool) -> SQL {
        let id = Random.bytes(16)
        let now = clock.now()
        let payload = masterKey.outbox.seal(letter.padded(), context: Self.context(project.id, id))
        return """
            INSERT INTO mail_outbox (project_id, mail_id, payload, due_at, created_at, expires_at)
            VALUES (\(project.id), \(id), \(payload), CASE WHEN \(sent) THEN \(now) ELSE 'infinity'::timestamptz END, \(now),
                \(min(expires, now + Self.patience)))
            """
    }

    static func context(_ projectID: String, _ id: [UInt8]) -> String { "mail \(projectID) \(Hex.encode(id))" }
}

extension Outbox {
    /// Leases up to `limit` letters that are due; no other process gets them before the lease ends.
    ///
    /// - Returns: The letters, and of how many rows this process can make nothing, since they were sealed with another master key or written
    ///   by a newer version. Those stay, for a process that can: their lease ends like any other.
    package func claim(_ limit: Int) async throws(AccountError) -> (letters: [DueLetter], unreadable: Int) {
        let now = clock.now()
        let rows = try await storage.write(
            """
            WITH due AS MATERIALIZED (
                SELECT project_id, mail_id FROM mail_outbox WHERE due_at <= \(now) AND expires_at > \(now)
                ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            UPDATE mail_outbox AS mail SET due_at = \(now + Self.lease), attempts = attempts + 1
            FROM due WHERE mail.project_id = due.project_id AND mail.mail_id = due.mail_id
            RETURNING mail.project_id, mail.mail_id, mail.payload, mail.attempts, mail.expires_at
            """)
        var letters: [DueLetter] = []
        var unreadable = 0
        for row in rows {
            var row = row.reader()
            let projectID: String
            let id: [UInt8]
            let payload: [UInt8]
            let attempt: Int
            let expires: Instant
            do {
                (projectID, id, payload) = (try row.next(), try row.next(), try row.next())
                (attempt, expires) = (try row.next(), try row.next())
            } catch { throw .database(error) }
            if let plain = try? masterKey.outbox.open(payload, context: Self.context(projectID, id)), let letter = Letter(padded: plain) {
                letters.append(DueLetter(projectID: projectID, id: id, letter: letter, attempt: attempt, expires: expires))
            } else {
                unreadable += 1
            }
        }
        return (letters, unreadable)
    }

    /// The letter is with the next server; it is not sent again.
    package func done(_ due: DueLetter) async throws(AccountError) {
        guard keepsSent else { return try await delete(due.projectID, due.id) }
        _ = try await storage.write(
            "UPDATE mail_outbox SET due_at = 'infinity' WHERE project_id = \(due.projectID) AND mail_id = \(due.id)")
    }

    /// What becomes of a letter that was not taken.
    package enum Fate: Sendable, Equatable {
        case retry(Instant)
        case givenUp
    }

    /// The letter was not taken. It waits for its next attempt, unless that would come after its link has expired, or `forGood` says that no
    /// attempt can succeed.
    package func failed(_ due: DueLetter, forGood: Bool) async throws(AccountError) -> Fate {
        let next = clock.now() + Self.pauses[min(due.attempt, Self.pauses.count) - 1]
        guard !forGood, next < due.expires else {
            try await delete(due.projectID, due.id)
            return .givenUp
        }
        // Not if the lease ended meanwhile and another process tries already.
        _ = try await storage.write(
            """
            UPDATE mail_outbox SET due_at = \(next)
            WHERE project_id = \(due.projectID) AND mail_id = \(due.id) AND attempts = \(due.attempt)
            """)
        return .retry(next)
    }

    /// The letters that still matter, newest first, sent ones among them where those are kept: for development alone, since a reader
    /// of them holds their links. Decoys are not among them.
    package func recent(in project: ProjectSettings, limit: Int = 1000) async throws(AccountError) -> [Letter] {
        guard keepsSent else { return [] }
        let rows = try await storage.read(
            """
            SELECT mail_id, payload FROM mail_outbox
            WHERE project_id = \(project.id) AND expires_at > \(clock.now()) AND (attempts > 0 OR due_at < 'infinity')
            ORDER BY created_at DESC LIMIT \(limit)
            """)
        return rows.compactMap { row in
            var row = row.reader()
            guard let id = try? row.next(as: [UInt8].self), let payload = try? row.next(as: [UInt8].self),
                let plain = try? masterKey.outbox.open(payload, context: Self.context(project.id, id))
            else { return nil }
            return Letter(padded: plain)
        }
    }

    private func delete(_ projectID: String, _ id: [UInt8]) async throws(AccountError) {
        _ = try await storage.write("DELETE FROM mail_outbox WHERE project_id = \(projectID) AND mail_id = \(id)")
    }
}
