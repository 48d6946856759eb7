package import Crypto
import Postgres
import ProjectSettings
package import Runtime
import Text

extension AccountMirror {
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
        let (from, to): (Int64, Int64)
    }

    /// The answer to the question for changes.
    package enum Next: Sendable {
        case nothing
        /// Another process copies the next changes, or they rest after a failure. With the time of the first of them.
        case waiting(since: Instant)
        /// No other process gets them before the lease ends.
        case changes(Changes)
    }
}

/// The part of an audit event that says what changed of an account.
struct MirrorEvent {
    let id: Int64
    let time: Instant
    let action: AuditEvent.Action
    let accountID: String
    let createdAt: Int64?
    let isImported: Bool
}

/// A time in which nothing was copied.
struct Pause {
    /// `nil` for ever.
    let begin: Instant?
    let end: Instant

    func contains(_ time: Instant) -> Bool { time < end && begin.map { time > $0 } ?? true }
}

extension AccountMirror {
    /// Adds the accounts of the events as they are now.
    func fill(
        _ changes: inout Changes, with events: [MirrorEvent], in project: ProjectSettings, pausing pause: Pause
    ) async throws(AccountError) {
        var said: [UTF8Text: (fields: Set<AuditEvent.Field>, ending: Instant?)] = [:]
        var created: [UTF8Text: Instant] = [:]
        var deleted: [UTF8Text: MirrorEvent] = [:]
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
