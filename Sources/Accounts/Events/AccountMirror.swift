package import Crypto
package import Postgres
package import ProjectSettings
package import Runtime

/// Tells which accounts of a project were changed since they were last copied to another system.
///
/// The record of what was done to accounts (`AuditEvent`) is the list of changes: the transaction of each act writes it. One process copies at a
/// time, and remembers in the database how far it has come, so that nothing is left out when it ends.
package struct AccountMirror: Sendable {
    /// How long a process may take for one piece before another one may begin with it.
    package static let lease: Duration = .seconds(120)
    /// The number of events of one piece.
    static let piece = 200

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

    /// An account as it is now.
    package struct Changed: Sendable {
        package let account: Account
        package let passwordHash: PasswordHash?
        /// Whether the password was set here, or removed here: the other system does not have it so.
        package let hasOwnPassword: Bool

        package init(_ account: Account, _ passwordHash: PasswordHash?, hasOwnPassword: Bool) {
            (self.account, self.passwordHash, self.hasOwnPassword) = (account, passwordHash, hasOwnPassword)
        }
    }

    /// The changes of one piece.
    package struct Changes: Sendable {
        package internal(set) var accounts: [Changed] = []
        /// The ids of accounts that were deleted.
        package internal(set) var deleted: [String] = []
        /// When the first of the changes was made.
        package let since: Instant
        /// Whether there may be more at once.
        package let mayBeMore: Bool
        /// The last event of the piece before, and the last one of this piece.
        fileprivate let (from, to): (Int64, Int64)
    }

    /// The next changes, which no other process gets before the lease ends; `nil` when there are none, or another process has them.
    ///
    /// - Parameter target: the id of the Firebase project to copy to.
    package func next(of project: ProjectSettings, for target: String) async throws(AccountError) -> Changes? {
        let (from, events) = try await events(of: project, for: target)
        guard let first = events.first, let last = events.last else { return nil }
        let now = clock.now()
        let leased = try await storage.write(
            """
            INSERT INTO mirrors AS m (project_id, firebase_project, event_id, leased_until)
            VALUES (\(project: project), \(target), \(from), \(now + Self.lease))
            ON CONFLICT (project_id, firebase_project) DO UPDATE SET leased_until = EXCLUDED.leased_until
            WHERE m.leased_until <= \(now) AND m.event_id = EXCLUDED.event_id
            RETURNING event_id
            """)
        guard !leased.isEmpty else { return nil }
        var changes = Changes(since: first.time, mayBeMore: events.count == Self.piece, from: from, to: last.id)
        let changing = events.filter { AuditEvent.Action.changingAccounts.contains($0.action) }
        changes.accounts = try await accounts(Set(changing.map(\.accountID)), of: project)
        let found = Set(changes.accounts.map(\.account.id))
        changes.deleted = Set(changing.filter { $0.action == AuditEvent.Action.accountDeleted.rawValue }.map(\.accountID))
            .subtracting(found).sorted()
        return changes
    }

    /// Remembers that the changes are copied, and ends the lease.
    package func done(_ changes: Changes, of project: ProjectSettings, for target: String) async throws(AccountError) {
        _ = try await storage.write(
            """
            UPDATE mirrors SET event_id = \(changes.to), leased_until = \(clock.now())
            WHERE project_id = \(project: project) AND firebase_project = \(target) AND event_id = \(changes.from)
            """)
    }

    private struct Event {
        let id: Int64
        let time: Instant
        let action: String
        let accountID: String
    }

    /// The last event that was copied, and those behind it which are old enough.
    private func events(of project: ProjectSettings, for target: String) async throws(AccountError) -> (from: Int64, [Event]) {
        let rows = try await storage.read(
            """
            SELECT coalesce(m.event_id, 0), e.event_id, e.occurred_at, e.action, coalesce(e.account_id, '')
            FROM audit_events e LEFT JOIN mirrors m ON m.project_id = \(project: project) AND m.firebase_project = \(target)
            WHERE e.project_id = \(project: project) AND e.event_id > coalesce(m.event_id, 0) ORDER BY e.event_id LIMIT \(Self.piece)
            """)
        var (from, events): (Int64, [Event]) = (0, [])
        let latest = clock.now() - lag
        for row in rows {
            var row = row.reader()
            let event = try reading { () throws(PostgresError) in
                from = try row.next()
                return Event(id: try row.next(), time: try row.next(), action: try row.next(), accountID: try row.next())
            }
            guard event.time < latest else { break }
            events.append(event)
        }
        return (from, events)
    }

    private func accounts(_ ids: Set<String>, of project: ProjectSettings) async throws(AccountError) -> [Changed] {
        guard !ids.isEmpty else { return [] }
        let more: SQL = "a.password_hash, \(ImportMemory.fields(in: project))"
        let rows = try await storage.read(Account.select("a.account_id = ANY(\(ids.sorted()))", with: more, in: project))
        var accounts: [Changed] = []
        for row in rows {
            var row = row.reader()
            guard let account = try reading({ try Account(&row) }) else { continue }
            let (hash, fields): (String?, [UInt8]?) = try reading { (try row.next(), try row.next()) }
            let isAsImported = fields.map { ImportMemory(digest: [], fields: $0).hasPassword(of: account) } ?? false
            accounts.append(Changed(account, hash.flatMap(PasswordHash.init), hasOwnPassword: !isAsImported))
        }
        return accounts
    }
}

extension AuditEvent.Action {
    /// The names of acts that leave an account other than it was: what is copied of it.
    fileprivate static let changingAccounts: Set<String> = Set(allCases.filter(\.changesAccount).map(\.rawValue))

    private var changesAccount: Bool {
        switch self {
        case .providerLinked, .providerUnlinked, .passwordAdded, .passwordChanged, .passwordRemoved, .emailLinkAdded, .emailLinkRemoved,
            .accountTakenOver, .addressMoved, .accountCreated, .accountDeleted, .accountDisabled, .accountEnabled, .claimsChanged,
            .emailChanged, .secondFactorsRemoved, .phoneNumberChanged, .profileChanged, .sessionsRevoked:
            true
        // An import stores what another system has, and is not copied back.
        case .accountsImported, .accountImported, .linkMade, .linkMailed, .sessionsEnded, .sessionBridged, .sessionCookieCreated,
            .clientSessionStolen,
            .providerTokensGiven, .limitsForgotten, .serviceAccountKeyMade, .serviceAccountKeyRevoked, .serviceAccountRightsSet,
            .signingKeyRotated, .masterKeyResealed:
            false
        }
    }
}
