package import Crypto
package import Postgres
package import ProjectSettings
package import Runtime
import Text

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
    /// When nobody has looked for so long, copying was switched off.
    static let pause: Duration = .seconds(300)
    /// How often it is noted that somebody looks.
    private static let noted: Duration = .seconds(15)

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

    /// A Firebase project that is told of changes.
    package struct Target: Sendable {
        /// Its id at Google.
        package let id: String
        /// The name of the thing that it is told: a project may be told several, each at its own pace. It stands in the table.
        package let purpose: String
        /// How long changes wait, beyond the lag.
        package let delay: Duration

        package init(id: String, purpose: String, delay: Duration = .zero) {
            (self.id, self.purpose, self.delay) = (id, purpose, delay)
        }
    }

    /// An account as it is now, and what the piece's events say of it.
    package struct Changed: Sendable {
        package let account: Account
        package let passwordHash: PasswordHash?
        /// Whether an import has brought the account.
        package let isImported: Bool
        package let fields: Set<AuditEvent.Field>
        /// Whether its sessions ended.
        package let isRevoked: Bool

        package init(
            _ account: Account, _ passwordHash: PasswordHash?, isImported: Bool, fields: Set<AuditEvent.Field>, isRevoked: Bool
        ) {
            (self.account, self.passwordHash, self.isImported) = (account, passwordHash, isImported)
            (self.fields, self.isRevoked) = (fields, isRevoked)
        }
    }

    /// An account that was deleted.
    package struct Deleted: Sendable {
        package let id: String
        /// As `Changed` has it; false where the event does not say it.
        package let isImported: Bool
        /// When it was made, in milliseconds; `nil` where the event does not say it.
        package let createdAt: Int64?
    }

    /// The changes of one piece.
    package struct Changes: Sendable {
        package internal(set) var accounts: [Changed] = []
        package internal(set) var deleted: [Deleted] = []
        /// The ids of those that were deleted while nothing was copied.
        package internal(set) var deletedBefore: [String] = []
        /// When the first of the changes was made.
        package let since: Instant
        /// When another process may begin with them.
        package let leasedUntil: Instant
        /// Whether there may be more at once.
        package let mayBeMore: Bool
        /// How many times the piece could not be copied, although Google answered.
        package let failures: Int
        /// The last event of the piece before, and the last one of this piece.
        fileprivate let (from, to): (Int64, Int64)
    }

    /// The answer to the question for changes.
    package enum Next: Sendable {
        case nothing
        /// Another process copies the next changes, or they rest after a failure. With the time of the first of them.
        case waiting(since: Instant)
        /// No other process gets them before the lease ends.
        case changes(Changes)
    }

    /// The next changes. Call `done` or `failed` with them afterwards.
    package func next(of project: ProjectSettings, for target: Target) async throws(AccountError) -> Next {
        let mark = try await mark(project, target)
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

    /// Notes that changes for the Firebase project are looked for. A target that is not seen for some minutes counts as switched off.
    package func see(_ target: Target, of project: ProjectSettings) async throws(AccountError) { _ = try await mark(project, target) }

    private struct Mark {
        /// The last event that was copied.
        let eventID: Int64
        /// The last time in which nothing was copied.
        let pause: Pause
    }

    private struct Pause {
        /// `nil` for ever.
        let begin: Instant?
        let end: Instant

        func contains(_ time: Instant) -> Bool { time < end && begin.map { time > $0 } ?? true }
    }

    private func mark(_ project: ProjectSettings, _ target: Target) async throws(AccountError) -> Mark {
        let now = clock.now()
        let columns: SQL = "event_id, stopped_at, running_since"
        var rows = try await storage.read(
            "SELECT \(columns) FROM mirrors WHERE \(Self.condition(project, target)) AND seen_at > \(now - Self.noted)")
        if rows.isEmpty {
            let wasOff: SQL = "m.seen_at < \(now - Self.pause)"
            rows = try await storage.write(
                """
                INSERT INTO mirrors AS m (project_id, firebase_project, purpose, leased_until, running_since, seen_at)
                VALUES (\(project: project), \(target.id), \(target.purpose), \(now), \(now), \(now))
                ON CONFLICT (project_id, firebase_project, purpose) DO UPDATE SET seen_at = EXCLUDED.seen_at,
                    stopped_at = CASE WHEN \(wasOff) THEN m.seen_at ELSE m.stopped_at END,
                    running_since = CASE WHEN \(wasOff) THEN EXCLUDED.running_since ELSE m.running_since END
                RETURNING \(columns)
                """)
        }
        guard var row = rows.first?.reader() else { throw .conflict }
        return try reading { () throws(PostgresError) in
            Mark(eventID: try row.next(), pause: Pause(begin: try row.next(), end: try row.next()))
        }
    }

    private struct Event {
        let id: Int64
        let time: Instant
        let action: AuditEvent.Action
        let accountID: String
        let createdAt: Int64?
        let isImported: Bool
    }

    /// The events behind one that are old enough. `early` is the time of one that is in the future.
    private func events(
        behind id: Int64, of project: ProjectSettings, for target: Target
    ) async throws(AccountError) -> (events: [Event], early: Instant?) {
        let rows = try await storage.read(
            """
            SELECT event_id, occurred_at, action, coalesce(account_id, ''), (details ->> 'createdAt')::bigint,
                coalesce((details ->> 'imported')::boolean, false)
            FROM audit_events
            WHERE project_id = \(project: project) AND event_id > \(id) ORDER BY event_id LIMIT \(Self.piece)
            """)
        var events: [Event] = []
        let now = clock.now()
        for row in rows {
            var row = row.reader()
            let (id, time, name): (Int64, Instant, String) = try reading { (try row.next(), try row.next(), try row.next()) }
            guard time < now - lag - target.delay else { return (events, time > now ? time : nil) }
            // A process of a later version knows what it is.
            guard let action = AuditEvent.Action(rawValue: name) else { return (events, time) }
            events.append(
                try reading { () throws(PostgresError) in
                    Event(
                        id: id, time: time, action: action, accountID: try row.next(), createdAt: try row.next(),
                        isImported: try row.next())
                })
        }
        return (events, nil)
    }

    private func fill(
        _ changes: inout Changes, with events: [Event], in project: ProjectSettings, pausing pause: Pause
    ) async throws(AccountError) {
        var said: [UTF8Text: (fields: Set<AuditEvent.Field>, ending: Instant?)] = [:]
        var created: [UTF8Text: Instant] = [:]
        var deleted: [UTF8Text: Event] = [:]
        for event in events {
            guard let fields = event.action.changedFields else { continue }
            // Since then, the person may have been shut out there.
            if event.action == .accountEnabled, pause.contains(event.time) { continue }
            let id = UTF8Text(event.accountID)
            said[id, default: ([], nil)].fields.formUnion(fields)
            if event.action == .accountCreated { created[id] = event.time }
            // With the account its first password was made.
            if event.action.mayEndSessions, created[id] != event.time { said[id]?.ending = event.time }
            if event.action == .accountDeleted { deleted[id] = event }
        }
        guard !said.isEmpty else { return }
        let isImported: SQL = """
            EXISTS (SELECT 1 FROM imported_accounts i WHERE i.project_id = \(project: project) AND i.account_id = a.account_id)
            """
        let rows = try await storage.read(
            Account.select("a.account_id = ANY(\(said.keys.map(\.asString).sorted()))", with: "a.password_hash, \(isImported)", in: project)
        )
        for row in rows {
            var row = row.reader()
            guard let account = try reading({ try Account(&row) }), let said = said[UTF8Text(account.id)] else { continue }
            let (hash, isImported): (String?, Bool) = try reading { (try row.next(), try row.next()) }
            let isRevoked = said.ending.map { account.allEndedAt.seconds >= $0.seconds } ?? false
            changes.accounts.append(
                Changed(account, hash.flatMap(PasswordHash.init), isImported: isImported, fields: said.fields, isRevoked: isRevoked))
            // It was restored; another account of the id is a new one.
            if isImported { deleted[UTF8Text(account.id)] = nil }
        }
        for (id, event) in deleted {
            if pause.contains(event.time) {
                changes.deletedBefore.append(id.asString)
            } else {
                changes.deleted.append(Deleted(id: id.asString, isImported: event.isImported, createdAt: event.createdAt))
            }
        }
    }
}

extension AuditEvent {
    /// A part of an account that an act changes.
    package enum Field: Sendable, CaseIterable {
        case email, password, claims, disabled, profile, phoneNumber, identities
    }
}

extension AuditEvent.Action {
    /// The parts of the account that the act may have changed, besides the time from which its tokens count; `nil` for an act that leaves the
    /// account as it was.
    fileprivate var changedFields: Set<AuditEvent.Field>? {
        switch self {
        // Only an act of its own lets a person in again.
        case .accountCreated, .accountDeleted: Set(AuditEvent.Field.allCases).subtracting([.disabled])
        case .accountTakenOver: Set(AuditEvent.Field.allCases).subtracting([.disabled, .claims])
        case .addressMoved: [.email, .password]
        case .providerLinked, .providerUnlinked: [.identities]
        case .passwordAdded, .passwordChanged, .passwordRemoved: [.password]
        case .accountDisabled, .accountEnabled: [.disabled]
        case .claimsChanged: [.claims]
        case .emailChanged: [.email]
        case .phoneNumberChanged: [.phoneNumber]
        case .profileChanged: [.profile]
        case .sessionsRevoked: []
        // An import stores what another system has, and is not copied back.
        case .accountsImported, .accountImported, .emailLinkAdded, .emailLinkRemoved, .secondFactorsRemoved, .linkMade, .linkMailed,
            .sessionsEnded,
            .sessionBridged, .sessionCookieCreated, .clientSessionStolen, .providerTokensGiven, .limitsForgotten, .serviceAccountKeyMade,
            .serviceAccountKeyRevoked, .serviceAccountRightsSet, .signingKeyRotated, .masterKeyResealed:
            nil
        }
    }

    /// Whether sessions of the account may have ended with the act.
    fileprivate var mayEndSessions: Bool {
        switch self {
        case .passwordAdded, .passwordChanged, .passwordRemoved, .emailChanged, .phoneNumberChanged, .providerUnlinked, .accountDeleted,
            .accountDisabled, .accountTakenOver, .addressMoved, .sessionsRevoked:
            true
        default: false
        }
    }
}

extension Account {
    /// The last time at which sessions ended that were open then. At Google all of them end: it does not know one from another.
    package var allEndedAt: Instant { max(validSince, sessionsEndedAt ?? validSince) }
}
