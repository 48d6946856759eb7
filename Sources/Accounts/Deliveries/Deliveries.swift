import Crypto
package import Postgres
import ProjectSettings
package import Runtime

/// The deliveries of one kind in one project.
package struct DeliveryQueue: Hashable, Sendable {
    package let projectID: String
    package let kind: DeliveryKind

    package init(projectID: String, kind: DeliveryKind) {
        self.projectID = projectID
        self.kind = kind
    }
}

/// Stores what is to be delivered between the transaction that asks for it and the server of others that accepts it: mails (`Outbox`),
/// text messages (`OutgoingTextMessage`), messages of log-outs (`OutgoingLogout`) and events (`OutgoingEvent`), whose rows are kept for a while.
///
/// A rule puts `insert` among the statements of its transaction, and calls `wakeWorker` after the commit. The delivery worker of any process
/// then leases the row (`claim`), delivers it, and removes the row (`done`) or makes it wait (`failed`). When a process dies in between, its
/// lease ends and another one delivers. So a delivery arrives at least once, and again where a process ends, or cannot reach the database,
/// between the acceptance and `done`. A text message arrives at most once (`DeliveryKind.repeatsUnfinished`).
package struct Deliveries: Sendable {
    /// How long an attempt may take before another process may begin the next one. Transports give up well before.
    package static let lease: Duration = .seconds(60)

    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock
    let wakeSignal: WakeSignal<DeliveryQueue>
    let keepsDelivered: Bool

    /// - Parameters:
    ///   - wakeSignal: wakes the delivery worker of this process.
    ///   - keepsDelivered: keeps what was delivered until it expires, so that `Outbox.recent` lists it; for development.
    package init(
        database: Database, masterKey: MasterKey, clock: Clock, wakeSignal: WakeSignal<DeliveryQueue> = WakeSignal(),
        keepsDelivered: Bool = false
    ) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
        self.wakeSignal = wakeSignal
        self.keepsDelivered = keepsDelivered
    }

    /// The statement that stores a delivery.
    ///
    /// - Parameters:
    ///   - expires: when the delivery stops being of use; it is given up after `DeliveryKind.patience` anyway.
    ///   - purpose: what a mail is for (see `Outbox.enqueue`); `nil` stores the recipient of the payload in its place.
    ///   - isDue: whether it is to be delivered at all.
    func insert<Payload: DeliveryPayload>(
        _ payload: Payload, until expires: Instant? = nil, for purpose: [UInt8]? = nil, in project: ProjectSettings, isDue: Bool = true,
        attempts: Int = 0
    ) -> SQL {
        let kind = Payload.deliveryKind
        let id = Random.bytes(16)
        let now = clock.now()
        let end = now + kind.patience
        // `nil` when the payload cannot be encoded: the table takes no such row, and the transaction is undone.
        let sealed = payload.padded().map { masterKey.deliveries.seal($0, context: Self.context(project.storageID, id)) }
        return """
            INSERT INTO deliveries (project_id, kind, delivery_id, payload, due_at, created_at, expires_at, attempts, purpose)
            VALUES (\(project: project), \(kind.rawValue), \(id), \(sealed), CASE WHEN \(isDue) THEN \(now) ELSE 'infinity'::timestamptz END,
                \(now), \(expires.map { min($0, end) } ?? end), \(attempts), \(purpose ?? payload.recipient))
            """
    }

    /// Wakes the delivery worker of this process; call it after the commit. Without it, the delivery begins some seconds later.
    func wakeWorker(for kind: DeliveryKind, in project: ProjectSettings) {
        wakeSignal.send(for: DeliveryQueue(projectID: project.storageID, kind: kind))
    }

    /// The payload of a row; `nil` when no listed master key opens it, or a newer version wrote it.
    func payload<Payload: DeliveryPayload>(_ sealed: [UInt8], _ projectID: String, _ id: [UInt8]) -> Payload? {
        (try? masterKey.deliveries.open(sealed, context: Self.context(projectID, id))).flatMap(Payload.init(padded:))
    }

    /// Of all kinds; the word is that of the first one, so that mails of former versions are opened.
    static func context(_ projectID: String, _ id: [UInt8]) -> String { "mail \(projectID) \(Hex.encode(id))" }
}

extension Deliveries {
    /// When the next delivery of each kind is due in a project, also one that has expired; kinds of which none waits are left out. Locks
    /// nothing.
    package func firstDue(of kinds: [DeliveryKind], in projectID: String) async throws(AccountError) -> [DeliveryKind: Instant] {
        let rows = try await storage.read(
            """
            SELECT kinds.kind, first.due_at FROM unnest(\(kinds.map(\.rawValue))) AS kinds (kind), LATERAL (
                SELECT due_at FROM deliveries
                WHERE project_id = \(project: projectID) AND kind = kinds.kind AND due_at < 'infinity'
                ORDER BY due_at LIMIT 1) AS first
            """)
        return try reading {
            try rows.reduce(into: [:]) { found, row in
                var row = row.reader()
                if let kind = DeliveryKind(rawValue: try row.next()) { found[kind] = try row.next() }
            }
        }
    }

    /// Leases up to `limit` of a project's deliveries of one kind that are due; no other process gets them before the lease ends. Among them are
    /// those that have expired: they are not carried out any more, but given up (`failed`).
    ///
    /// - Parameter busy: the recipients that get no more now; their deliveries are left out.
    /// - Returns: the deliveries, and the number of rows that this process cannot read, since they were sealed with another master key or
    ///   written by a newer version. Those stay for a process that can read them: their lease ends like any other.
    package func claim<Payload: DeliveryPayload>(
        _: Payload.Type, _ limit: Int, in projectID: String, except busy: [[UInt8]] = []
    ) async throws(AccountError) -> (found: [LeasedDelivery<Payload>], unreadable: Int) {
        let now = clock.now()
        let next: SQL = Payload.deliveryKind.repeatsUnfinished ? "\(now + Self.lease)" : "'infinity'"
        let rows = try await storage.write(
            """
            WITH due AS MATERIALIZED (
                SELECT delivery_id FROM deliveries
                WHERE project_id = \(project: projectID) AND kind = \(Payload.deliveryKind.rawValue) AND due_at <= \(now)
                    AND encode(coalesce(purpose, ''), 'hex') <> ALL (\(busy.map(Hex.encode)))
                ORDER BY due_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            UPDATE deliveries AS d SET due_at = \(next), attempts = attempts + 1
            FROM due WHERE d.project_id = \(project: projectID) AND d.delivery_id = due.delivery_id
            RETURNING d.delivery_id, d.payload, d.attempts, d.expires_at
            """)
        var found: [LeasedDelivery<Payload>] = []
        for row in rows {
            var row = row.reader()
            let (id, sealed): ([UInt8], [UInt8]) = try reading { (try row.next(), try row.next()) }
            let (attempt, expires): (Int, Instant) = try reading { (try row.next(), try row.next()) }
            guard let payload: Payload = payload(sealed, projectID, id) else { continue }
            found.append(LeasedDelivery(projectID: projectID, id: id, payload: payload, attempt: attempt, expires: expires))
        }
        return (found, rows.count - found.count)
    }

    /// The other server has accepted the delivery; it is not repeated.
    package func done<Payload>(_ due: LeasedDelivery<Payload>) async throws(AccountError) {
        if Payload.deliveryKind.isRecorded {
            _ = try await storage.write(
                """
                UPDATE deliveries SET due_at = 'infinity', outcome = 'delivered'
                WHERE project_id = \(project: due.projectID) AND delivery_id = \(due.id) AND attempts = \(due.attempt)
                """)
            return
        }
        guard keepsDelivered, Payload.deliveryKind.isKept else {
            _ = try await storage.write(
                "DELETE FROM deliveries WHERE project_id = \(project: due.projectID) AND delivery_id = \(due.id)")
            return
        }
        _ = try await storage.write(
            "UPDATE deliveries SET due_at = 'infinity' WHERE project_id = \(project: due.projectID) AND delivery_id = \(due.id)")
    }

    /// The fate of a delivery that was not accepted.
    package enum Fate: Sendable, Equatable {
        case retry(Instant)
        case givenUp
    }

    /// The delivery was not accepted. It waits for its next attempt, unless that would come after it has expired, or `forGood` says that no
    /// attempt can succeed.
    ///
    /// - Parameters:
    ///   - pause: the least time until anything is delivered to the recipient again.
    ///   - reason: why it was not accepted, which is kept of a mail that is given up; `nil` keeps nothing of it.
    /// - Returns: `nil` when nothing was changed: the lease has ended meanwhile, and another process tries already or is done, or the delivery
    ///   was taken back.
    package func failed<Payload>(
        _ due: LeasedDelivery<Payload>, forGood: Bool, pause: Duration? = nil, because reason: String? = nil
    ) async throws(AccountError) -> Fate? {
        let kind = Payload.deliveryKind
        let pauses = kind.pauses
        var usual = pauses[min(due.attempt, pauses.count) - 1]
        // A fifth more or less, so that what failed together does not come again together.
        if kind.isRecorded { usual = usual * (80 + Int(due.id.last ?? 0) % 41) / 100 }
        let next = clock.now() + max(usual, pause ?? .zero)
        let isLast = kind.isRecorded && due.attempt > pauses.count
        let (fate, change): (Fate, SQL) =
            !forGood && !isLast && next < due.expires
            ? (.retry(next), "UPDATE deliveries SET due_at = \(next)") : (.givenUp, ending(of: due, because: reason))
        let rows = try await storage.write(
            """
            \(change) WHERE project_id = \(project: due.projectID) AND delivery_id = \(due.id) AND attempts = \(due.attempt)
            RETURNING 1::bigint
            """)
        if let pause, !rows.isEmpty {
            let until = clock.now() + pause
            _ = try await storage.write(
                """
                UPDATE deliveries SET due_at = \(until) WHERE project_id = \(project: due.projectID) AND kind = \(kind.rawValue)
                    AND purpose = \(due.payload.recipient) AND due_at < \(until)
                """)
        }
        return rows.isEmpty ? nil : fate
    }
}
