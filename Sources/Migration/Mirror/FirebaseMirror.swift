import Accounts
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

    /// Copies everything of these projects that waits.
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
    }

    private enum Purpose {
        case wholeAccounts
        /// Only those who may not come in any more.
        case revocations
        /// The same, when no custom token is good any more that was made before: a person may have traded one at Google after the revocation.
        case lateRevocations
    }

    private func targets(of project: ProjectSettings) -> [Target] {
        var targets: [Target] = []
        if let migration = project.openMigration(at: clock.now()), migration.mirror {
            targets.append(
                Target(
                    mirror: AccountMirror.Target(id: migration.projectID), account: migration.serviceAccount, purpose: .wholeAccounts))
        }
        guard let data = project.firestore else { return targets }
        if !targets.contains(where: { $0.mirror.id.isExactly(data.projectID) }) {
            targets.append(
                Target(mirror: AccountMirror.Target(id: data.projectID), account: data.administrator, purpose: .revocations))
        }
        let late = AccountMirror.Target(id: data.projectID, delay: FirestoreTokens.lifetime)
        return targets + [Target(mirror: late, account: data.administrator, purpose: .lateRevocations)]
    }

    private func copy(_ project: ProjectSettings, to target: Target) async throws {
        while !Task.isCancelled {
            switch try await mirror.next(of: project, for: target.mirror) {
            case .nothing: return note(since: nil, project, target)
            case .waiting(let since): return note(since: since, project, target)
            case .changes(let changes):
                note(since: changes.since, project, target)
                do { try await copy(changes, of: project, to: target) } catch {
                    try await mirror.failed(changes, of: project, for: target.mirror)
                    throw error
                }
                try await mirror.done(changes, of: project, for: target.mirror)
                guard changes.mayBeMore else { return note(since: nil, project, target) }
            }
        }
    }

    private func copy(_ changes: AccountMirror.Changes, of project: ProjectSettings, to target: Target) async throws(GoogleFailure) {
        let google = MirrorCalls(
            calls: GoogleCalls(projectID: target.mirror.id, account: target.account, upstream: upstream, access: access, clock: clock))
        var round = try await MirrorRound(changes, to: google, of: project, clock, metrics, log)
        switch target.purpose {
        case .wholeAccounts: try await round.copy()
        case .revocations: try await round.revoke()
        case .lateRevocations: try await round.revoke(after: FirestoreTokens.lifetime)
        }
        try await round.delete(warning: target.mirror.delay == .zero)
    }

    private func note(since: Instant?, _ project: ProjectSettings, _ target: Target) {
        if target.mirror.delay == .zero { metrics.isBehind(since: since, in: project.id) }
    }
}
