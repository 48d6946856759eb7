import Accounts
import JSON
import Logging
import ProjectSettings
import Runtime
import Text

/// Copies one piece of changes to a Firebase project.
///
/// Google refuses an account: it is logged and passed over, since Google would refuse it again. Google has no answer about an account: the others
/// are copied, and the piece is begun again later. After many attempts, the account is passed over, too, if Google answers about others.
struct MirrorRound {
    /// The failures after which the rest no longer waits for one account: about five minutes.
    private static let failures = 20
    /// So many accounts without an answer mean that Google has none for anyone.
    private static let enough = 3

    private let changes: AccountMirror.Changes
    private let google: MirrorCalls
    private let project: ProjectSettings
    private let metrics: MirrorMetrics
    private let log: Logger
    /// Google's records of the accounts.
    private var there: [UTF8Text: JSON] = [:]
    /// Whether Google has told of the accounts.
    private(set) var isAnswered = false
    private var answered = 0
    private var unanswered: [(id: String, failure: GoogleFailure)] = []

    init(
        _ changes: AccountMirror.Changes, to google: MirrorCalls, of project: ProjectSettings, _ metrics: MirrorMetrics, _ log: Logger
    ) {
        (self.changes, self.google, self.project, self.metrics, self.log) = (changes, google, project, metrics, log)
    }

    /// Asks Google for its records of the accounts; those that were deleted go before that.
    private mutating func begin(deleting deleted: [AccountMirror.Deleted]) async throws(GoogleFailure) {
        try await delete(deleted)
        there = try await google.records(of: changes.accounts.map(\.account.id))
        isAnswered = true
    }

    /// Brings what changed of the accounts.
    mutating func copy() async throws(GoogleFailure) {
        let known = try await google.records(of: changes.deleted.map(\.id))
        var ours: [AccountMirror.Deleted] = []
        for account in changes.deleted {
            guard let there = known[UTF8Text(account.id)] else { continue }
            guard account.isImported || there.isCopy(madeAt: account.createdAt) else {
                refused(account.id, Self.isAnother)
                continue
            }
            ours.append(account)
        }
        try await begin(deleting: ours)
        // Google takes many whole records at once, if their hashes are made alike.
        var wholes: [FirebaseHash?: [(AccountMirror.Changed, JSON)]] = [:]
        for changed in changes.accounts {
            let mirrored = MirroredAccount(changed, there: there[UTF8Text(changed.account.id)])
            if mirrored.leavesPassword { metrics.count(.partly, in: project.id) }
            switch mirrored.step {
            case .replace(let record, let hash): wholes[hash, default: []].append((changed, record))
            case .update(let bodies):
                try await send(about: changed) { google throws(GoogleFailure) in for body in bodies { try await google.update(body) } }
            case .leaveGone: metrics.count(.gone, in: project.id)
            case .leaveOther: refused(changed.account.id, Self.isAnother)
            }
        }
        for (hash, some) in wholes { try await replace(some, hash) }
        try end()
    }

    private static let isAnother = "another account has this id there"

    /// Has Google end what it gave to the people.
    ///
    /// - Parameter lifetime: how long after a revocation something could be traded at Google that was made before; what came of it ends, too.
    mutating func revoke(after lifetime: Duration? = nil) async throws(GoogleFailure) {
        try await begin(deleting: changes.deleted)
        for changed in changes.accounts where changed.isRevoked || changed.fields.contains(.disabled) {
            guard let there = there[UTF8Text(changed.account.id)] else { continue }
            let until = lifetime.map { changed.account.allEndedAt + $0 }
            try await send(about: changed) { google throws(GoogleFailure) in
                try await google.update(MirroredAccount.revocation(of: changed, until: until, there: there))
            }
        }
        try end()
    }

    private func delete(_ deleted: [AccountMirror.Deleted]) async throws(GoogleFailure) {
        guard !deleted.isEmpty else { return }
        let refusals: [Int: String]
        do { refusals = try await google.delete(deleted.map(\.id)) } catch {
            guard case .refused(let code) = error else { throw error }
            // One id may be the reason why all are refused.
            guard deleted.count == 1 else {
                for account in deleted { try await delete([account]) }
                return
            }
            refusals = [0: code]
        }
        metrics.count(.deleted, deleted.count - refusals.count, in: project.id)
        for (place, reason) in refusals where deleted.indices.contains(place) { refused(deleted[place].id, reason) }
    }

    private mutating func replace(
        _ some: [(changed: AccountMirror.Changed, record: JSON)], _ hash: FirebaseHash?
    ) async throws(GoogleFailure) {
        if some.count > 1, let refusals = try? await google.replace(some.map(\.record), hash) {
            answered += some.count
            metrics.count(.copied, some.count - refusals.count, in: project.id)
            for (place, reason) in refusals where some.indices.contains(place) { try await pass(over: some[place].changed, reason) }
            return
        }
        // One record may be the reason why all are refused.
        for (changed, record) in some {
            try await send(about: changed) { google throws(GoogleFailure) in
                if let reason = try await google.replace([record], hash)[0] { throw .refused(code: reason) }
            }
        }
    }

    /// Makes calls about one account.
    private mutating func send(
        about changed: AccountMirror.Changed, _ calls: (MirrorCalls) async throws(GoogleFailure) -> Void
    ) async throws(GoogleFailure) {
        do {
            try await calls(google)
            answered += 1
            metrics.count(.copied, in: project.id)
        } catch {
            if case .refused(let code) = error {
                answered += 1
                return try await pass(over: changed, code)
            }
            unanswered.append((changed.account.id, error))
            if answered == 0, unanswered.count >= Self.enough { throw error }
        }
    }

    /// Ends the round. Throws when an account is left for the next attempt.
    private func end() throws(GoogleFailure) {
        guard let first = unanswered.first else { return }
        guard changes.failures >= Self.failures, answered > 0 else { throw first.failure }
        for (id, failure) in unanswered { refused(id, "\(failure)") }
    }

    /// Leaves an account that Google does not take as it is here. That it is disabled or that sessions ended does not depend on the rest.
    private func pass(over changed: AccountMirror.Changed, _ reason: String) async throws(GoogleFailure) {
        refused(changed.account.id, reason)
        guard let there = there[UTF8Text(changed.account.id)] else { return }
        do { try await google.update(MirroredAccount.revocation(of: changed, there: there)) } catch {
            guard case .refused = error else { throw error }
        }
    }

    private func refused(_ id: String, _ reason: String) {
        metrics.count(.refused, in: project.id)
        log.warning(
            "Firebase refuses the copy of an account", metadata: ["project": "\(project.id)", "account": "\(id)", "reason": "\(reason)"])
    }
}
