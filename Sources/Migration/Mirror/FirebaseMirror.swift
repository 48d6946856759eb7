package import Accounts
package import Curl
import JSON
package import Logging
package import Postgres
package import ProjectSettings
package import Runtime
import Text

/// Copies what changes here to Firebase projects.
///
/// The project that people come from gets whole accounts while its window is open (`migration.firebase.mirror`): apps which still talk to Google,
/// and a way back, find the same accounts, passwords and claims there. The project whose data people use (`firestore`) is told of those who are
/// disabled or deleted, and of sessions that end: Google's session of a person goes on by itself.
///
/// Each process has one; the database lets one of them copy a project at a time (`AccountMirror`). What Google does not take now is copied in a
/// later round.
package struct FirebaseMirror: Sendable {
    private let mirror: AccountMirror
    private let upstream: any Upstream
    private let access: GoogleAccess
    private let clock: Clock
    private let metrics: MirrorMetrics
    private let log: Logger

    /// - Parameter statementTimeout: how long a statement of any process may take.
    package init(
        database: Database, statementTimeout: Duration, upstream: any Upstream, shared: FirebaseBridge.Shared, clock: Clock, log: Logger
    ) {
        mirror = AccountMirror(database: database, clock: clock, statementTimeout: statementTimeout)
        self.upstream = upstream
        access = shared.access
        metrics = shared.mirrorMetrics
        self.clock = clock
        self.log = log
    }

    /// Notes that this process copies changes of these projects. It does not wait for Google, so that a project whose turn is far off does not count
    /// as switched off.
    package func see(_ projects: [ProjectSettings]) async throws(AccountError) {
        for project in projects { for target in targets(of: project) { try await mirror.see(target.mirror, of: project) } }
    }

    /// Copies what waits of these projects.
    package func copy(_ projects: [ProjectSettings]) async {
        for project in projects {
            for target in targets(of: project) {
                do { try await copy(project, to: target) } catch {
                    metrics.count(.heldUp, in: project.id)
                    let reason = (error as? AccountError)?.logDetail ?? "\(error)"
                    log.warning(
                        "changes of accounts could not be copied to Firebase",
                        metadata: ["project": "\(project.id)", "firebase": "\(target.mirror.id)", "reason": "\(reason)"])
                }
            }
        }
    }

    /// A Firebase project that is told of changes.
    private struct Target {
        let mirror: AccountMirror.Target
        let account: GoogleServiceAccount
        let purpose: Purpose

        init(_ id: String, _ account: GoogleServiceAccount, _ purpose: Purpose) {
            (self.account, self.purpose) = (account, purpose)
            mirror = AccountMirror.Target(
                id: id, purpose: purpose.rawValue, delay: purpose == .lateRevocations ? FirestoreTokens.lifetime : .zero)
        }
    }

    private enum Purpose: String {
        /// Whole accounts.
        case accounts
        /// Only those who may not come in any more.
        case revocations
        /// The same, when no custom token is good any more that was made before: a person may have traded one at Google after the revocation.
        case lateRevocations
    }

    private func targets(of project: ProjectSettings) -> [Target] {
        var targets: [Target] = []
        if let data = project.firestore {
            targets.append(Target(data.projectID, data.administrator, .revocations))
            targets.append(Target(data.projectID, data.administrator, .lateRevocations))
        }
        if let migration = project.openMigration(at: clock.now()), migration.mirror {
            targets.append(Target(migration.projectID, migration.serviceAccount, .accounts))
        }
        return targets
    }

    /// The pieces that one target may have before the next one has its turn.
    private static let turn = 20

    private func copy(_ project: ProjectSettings, to target: Target) async throws {
        for _ in 0..<Self.turn where !Task.isCancelled {
            switch try await mirror.next(of: project, for: target.mirror) {
            case .nothing: return metrics.note(since: nil, target.mirror, in: project.id)
            case .waiting(let since): return metrics.note(since: since, target.mirror, in: project.id)
            case .changes(let changes):
                metrics.note(since: changes.since, target.mirror, in: project.id)
                try await copy(changes, of: project, to: target)
                try await mirror.done(changes, of: project, for: target.mirror)
                guard changes.mayBeMore else { return metrics.note(since: nil, target.mirror, in: project.id) }
            }
        }
    }

    private func copy(_ changes: AccountMirror.Changes, of project: ProjectSettings, to target: Target) async throws {
        let calls = GoogleCalls(projectID: target.mirror.id, account: target.account, upstream: upstream, access: access, clock: clock)
        let google = MirrorCalls(calls: calls, clock: clock, deadline: changes.leasedUntil)
        var round = MirrorRound(changes, to: google, of: project, metrics, log)
        do {
            switch target.purpose {
            case .accounts: try await round.copy()
            case .revocations: try await round.revoke()
            case .lateRevocations: try await round.revoke(after: FirestoreTokens.lifetime)
            }
        } catch {
            try await mirror.failed(changes, of: project, for: target.mirror, isAnswered: round.isAnswered)
            throw error
        }
        guard !changes.deletedBefore.isEmpty, target.purpose != .lateRevocations else { return }
        log.warning(
            "accounts that were deleted while nothing was copied to Firebase stay there",
            metadata: ["project": "\(project.id)", "accounts": "\(changes.deletedBefore.joined(separator: " "))"])
    }
}
