import Accounts
import JSON
import Logging
import ProjectSettings
import Runtime
import Text

/// Copies the accounts of one piece of changes to a Firebase project.
///
/// An account that Google refuses is logged and passed over, since it would be refused again. An answer that says nothing about an account ends the
/// round, and the piece is tried again later. Where one account alone has such answers, it is passed over at the last attempt.
struct MirrorRound {
    /// The attempts after which the rest of a piece no longer waits for one account.
    private static let attempts = 20
    /// So many accounts in a row without an answer mean that Google has none for anyone.
    private static let unanswered = 3

    private let google: MirrorCalls
    private let project: ProjectSettings
    private let clock: Clock
    private let metrics: MirrorMetrics
    private let log: Logger
    private let isLast: Bool
    private var unansweredInARow = 0
    /// Google's records of the accounts.
    private let there: [UTF8Text: JSON]
    private let changes: AccountMirror.Changes

    init(
        _ changes: AccountMirror.Changes, to google: MirrorCalls, of project: ProjectSettings, _ clock: Clock, _ metrics: MirrorMetrics,
        _ log: Logger
    ) async throws(GoogleFailure) {
        (self.changes, self.google, self.project) = (changes, google, project)
        (self.clock, self.metrics, self.log) = (clock, metrics, log)
        isLast = changes.attempts >= Self.attempts
        there = try await google.records(of: changes.accounts.map(\.account.id))
    }

    /// Brings what changed of the accounts.
    mutating func copy() async throws(GoogleFailure) {
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
            case .leaveOther: refused(changed.account.id, "another account has this id there")
            }
        }
        for (hash, some) in wholes { try await replace(some, hash) }
    }

    /// Has Google end what it gave to the people.
    ///
    /// - Parameter lifetime: how long after a revocation something could be traded at Google that was made before; what came of it ends, too.
    mutating func revoke(after lifetime: Duration? = nil) async throws(GoogleFailure) {
        for changed in changes.accounts {
            guard let there = there[UTF8Text(changed.account.id)] else { continue }
            let until = changed.isRevoked ? lifetime.map { changed.account.validSince + $0 } : nil
            try await send(about: changed) { google throws(GoogleFailure) in
                try await google.update(MirroredAccount.revocation(of: changed, until: until, there: there))
            }
        }
    }

    /// Deletes the accounts that were deleted here.
    ///
    /// - Parameter warning: whether the log is told of those that stay.
    func delete(warning: Bool) async throws(GoogleFailure) {
        if warning, !changes.deletedBefore.isEmpty {
            log.warning(
                "accounts that were deleted while nothing was copied to Firebase stay there",
                metadata: ["project": "\(project.id)", "accounts": "\(changes.deletedBefore.joined(separator: " "))"])
        }
        guard !changes.deleted.isEmpty else { return }
        let refusals = try await google.delete(changes.deleted)
        metrics.count(.deleted, changes.deleted.count - refusals.count, in: project.id)
        for (place, reason) in refusals where changes.deleted.indices.contains(place) { refused(changes.deleted[place], reason) }
    }

    private mutating func replace(_ some: [(changed: AccountMirror.Changed, record: JSON)], _ hash: FirebaseHash?)
        async throws(GoogleFailure)
    {
        if some.count > 1, !isLast {
            do {
                let refusals = try await google.replace(some.map(\.record), hash)
                metrics.count(.copied, some.count - refusals.count, in: project.id)
                for (place, reason) in refusals where some.indices.contains(place) { try await tell(some[place].changed, reason) }
                return
            } catch {
                // One record may be the reason why all are refused.
                guard case .refused = error else { throw error }
            }
        }
        for (changed, record) in some {
            try await send(about: changed) { google throws(GoogleFailure) in
                if let reason = try await google.replace([record], hash)[0] { throw .refused(code: reason) }
            }
        }
    }

    private mutating func send(
        about changed: AccountMirror.Changed, _ calls: (MirrorCalls) async throws(GoogleFailure) -> Void
    ) async throws(GoogleFailure) {
        guard clock.now() + MirrorCalls.timeout < changes.leasedUntil else { throw .unavailable("Google answers too slowly") }
        do {
            try await calls(google)
            metrics.count(.copied, in: project.id)
            unansweredInARow = 0
        } catch {
            if case .refused(let code) = error {
                unansweredInARow = 0
                return try await tell(changed, code)
            }
            unansweredInARow += 1
            guard isLast, unansweredInARow < Self.unanswered else { throw error }
            try await tell(changed, "\(error)")
        }
    }

    /// Says that Google does not take an account as it is here. That it is disabled or that sessions ended does not wait for the rest.
    private func tell(_ changed: AccountMirror.Changed, _ reason: String) async throws(GoogleFailure) {
        refused(changed.account.id, reason)
        guard let there = there[UTF8Text(changed.account.id)] else { return }
        do { try await google.update(MirroredAccount.revocation(of: changed, there: there)) } catch {
            if case .refused = error { return }
            guard isLast else { throw error }
        }
    }

    private func refused(_ id: String, _ reason: String) {
        metrics.count(.refused, in: project.id)
        log.warning(
            "Firebase refuses the copy of an account", metadata: ["project": "\(project.id)", "account": "\(id)", "reason": "\(reason)"])
    }
}
