package import Postgres
package import ProjectSettings
package import Runtime

/// Tells which accounts of a project were changed since they were last copied to a Firebase project.
///
/// The record of what was done to accounts (`AuditEvent`) is the list of changes: the transaction of each act writes it. One process copies at a
/// time, and remembers in the database how far it has come, so that nothing is left out when it ends.
package struct AccountMirror: Sendable {
    /// How long a process may take for one piece before another one may begin with it.
    static let lease: Duration = .seconds(120)
    /// How long a piece waits that could not be copied.
    static let rest: Duration = .seconds(15)
    /// The number of events of one piece.
    static let piece = 50
    /// Copying counts as switched off when no process was seen to copy for so long.
    static let pause: Duration = .seconds(300)

    let storage: Storage
    let clock: Clock
    /// Events of the last moments are left for the next round: a transaction that began before them may still be running, whose events come
    /// before theirs.
    let lag: Duration

    /// - Parameter statementTimeout: how long a statement of any process may take.
    package init(database: Database, clock: Clock, statementTimeout: Duration) {
        storage = Storage(database: database)
        self.clock = clock
        lag = statementTimeout * 2
    }

    /// The next changes. Call `done` or `failed` with them afterwards.
    package func next(of project: ProjectSettings, for target: Target) async throws(AccountError) -> Next {
        guard let mark = try await mark(project, target) else { return .nothing }
        let (events, early) = try await events(behind: mark.eventID, of: project, for: target)
        guard let first = events.first, let last = events.last else {
            // The clock of the process that wrote it is ahead.
            return early.map { .waiting(since: $0) } ?? .nothing
        }
        let now = clock.now()
        let leased = try await storage.write(
            """
            UPDATE mirrors SET leased_until = \(now + Self.lease)
            WHERE \(Self.condition(project, target)) AND event_id = \(mark.eventID) AND leased_until <= \(now) RETURNING failures
            """)
        guard let failures = try reading({ try leased.first?.value(as: Int64.self) }) else { return .waiting(since: first.time) }
        var changes = Changes(
            since: first.time, leasedUntil: now + Self.lease, mayBeMore: events.count == Self.piece, failures: Int(failures),
            from: mark.eventID, to: last.id)
        try await fill(&changes, with: events, in: project, pausing: mark.pause)
        return .changes(changes)
    }

    /// Lets the piece rest before it is begun again.
    /// - Parameter isAnswered: whether Google answered something.
    package func failed(
        _ changes: Changes, of project: ProjectSettings, for target: Target, isAnswered: Bool
    ) async throws(AccountError) {
        _ = try await storage.write(
            """
            UPDATE mirrors SET leased_until = \(clock.now() + Self.rest), failures = failures + \(isAnswered ? 1 : 0)
            WHERE \(Self.condition(project, target)) AND event_id = \(changes.from) AND leased_until = \(changes.leasedUntil)
            """)
    }

    /// Remembers that the changes are copied, and ends the lease.
    package func done(_ changes: Changes, of project: ProjectSettings, for target: Target) async throws(AccountError) {
        _ = try await storage.write(
            """
            UPDATE mirrors SET event_id = \(changes.to), leased_until = \(clock.now()), failures = 0
            WHERE \(Self.condition(project, target)) AND event_id = \(changes.from)
            """)
    }

    private static func condition(_ project: ProjectSettings, _ target: Target) -> SQL {
        "project_id = \(project: project) AND firebase_project = \(target.id) AND purpose = \(target.purpose)"
    }

    /// Notes that a process copies changes to the Firebase project. Call it again and again: without it for some minutes, copying counts as switched off.
    package func see(_ target: Target, of project: ProjectSettings) async throws(AccountError) {
        let now = clock.now()
        let wasOff: SQL = "m.seen_at < \(now - Self.pause)"
        _ = try await storage.write(
            """
            INSERT INTO mirrors AS m (project_id, firebase_project, purpose, leased_until, running_since, seen_at)
            VALUES (\(project: project), \(target.id), \(target.purpose), \(now), \(now), \(now))
            ON CONFLICT (project_id, firebase_project, purpose) DO UPDATE SET seen_at = EXCLUDED.seen_at,
                stopped_at = CASE WHEN \(wasOff) THEN m.seen_at ELSE m.stopped_at END,
                running_since = CASE WHEN \(wasOff) THEN EXCLUDED.running_since ELSE m.running_since END
            """)
    }

    private struct Mark {
        /// The last event that was copied.
        let eventID: Int64
        /// The last time in which nothing was copied.
        let pause: Pause
    }

    /// `nil` until `see` has told of a new beginning.
    private func mark(_ project: ProjectSettings, _ target: Target) async throws(AccountError) -> Mark? {
        let rows = try await storage.read(
            """
            SELECT event_id, stopped_at, running_since FROM mirrors
            WHERE \(Self.condition(project, target)) AND seen_at >= \(clock.now() - Self.pause)
            """)
        guard var row = rows.first?.reader() else { return nil }
        return try reading { () throws(PostgresError) in
            Mark(eventID: try row.next(), pause: Pause(begin: try row.next(), end: try row.next()))
        }
    }

    /// The events behind one that are old enough. `early` is the time of one that is in the future.
    private func events(
        behind id: Int64, of project: ProjectSettings, for target: Target
    ) async throws(AccountError) -> (events: [MirrorEvent], early: Instant?) {
        let rows = try await storage.read(
            """
            SELECT event_id, occurred_at, action, coalesce(account_id, ''), (details ->> 'createdAt')::bigint,
                coalesce((details ->> 'imported')::boolean, false)
            FROM audit_events
            WHERE project_id = \(project: project) AND event_id > \(id) ORDER BY event_id LIMIT \(Self.piece)
            """)
        var events: [MirrorEvent] = []
        let now = clock.now()
        for row in rows {
            var row = row.reader()
            let (id, time, name): (Int64, Instant, String) = try reading { (try row.next(), try row.next(), try row.next()) }
            guard time < now - lag - target.delay else { return (events, time > now ? time : nil) }
            // A process of a later version knows what it is.
            guard let action = AuditEvent.Action(rawValue: name) else { return (events, time) }
            events.append(
                try reading { () throws(PostgresError) in
                    MirrorEvent(
                        id: id, time: time, action: action, accountID: try row.next(), createdAt: try row.next(),
                        isImported: try row.next())
                })
        }
        return (events, nil)
    }
}
