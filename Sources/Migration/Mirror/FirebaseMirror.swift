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
                        metadata: ["project": "\(project.id)", "firebase": "\(target.projectID)", "reason": "\(reason)"])
                }
            }
        }
    }

    /// A Firebase project that is told of changes.
    private struct Target {
        let projectID: String
        let account: GoogleServiceAccount
        /// Otherwise only who may not come in any more.
        let getsWholeAccounts: Bool
    }

    private func targets(of project: ProjectSettings) -> [Target] {
        var targets: [Target] = []
        if let migration = project.openMigration(at: clock.now()), migration.mirror {
            targets.append(Target(projectID: migration.projectID, account: migration.serviceAccount, getsWholeAccounts: true))
        }
        if let data = project.firestore, !targets.contains(where: { $0.projectID.isExactly(data.projectID) }) {
            targets.append(Target(projectID: data.projectID, account: data.administrator, getsWholeAccounts: false))
        }
        return targets
    }

    private func copy(_ project: ProjectSettings, to target: Target) async throws {
        let google = MirrorCalls(
            calls: GoogleCalls(projectID: target.projectID, account: target.account, upstream: upstream, access: access, clock: clock))
        while !Task.isCancelled {
            guard let changes = try await mirror.next(of: project, for: target.projectID) else {
                return metrics.isBehind(since: nil, in: project.id)
            }
            metrics.isBehind(since: changes.since, in: project.id)
            if target.getsWholeAccounts {
                try await copy(changes.accounts, to: google, in: project)
            } else {
                try await revoke(changes.accounts, at: google, in: project)
            }
            if !changes.deleted.isEmpty {
                try await google.delete(changes.deleted)
                metrics.count(.deleted, changes.deleted.count, in: project.id)
            }
            try await mirror.done(changes, of: project, for: target.projectID)
            guard changes.mayBeMore else { return metrics.isBehind(since: nil, in: project.id) }
        }
    }

    private func copy(_ accounts: [AccountMirror.Changed], to google: MirrorCalls, in project: ProjectSettings) async throws(GoogleFailure)
    {
        let there = try await google.records(of: accounts.map(\.account.id))
        // Google takes many whole records at once, if their hashes are made alike.
        var wholes: [FirebaseHash?: [(id: String, record: JSON)]] = [:]
        for changed in accounts {
            let mirrored = MirroredAccount(changed, there: there[UTF8Text(changed.account.id)])
            if mirrored.leavesPassword { metrics.count(.partly, in: project.id) }
            switch mirrored.step {
            case .replace(let record, let hash): wholes[hash, default: []].append((changed.account.id, record))
            case .update(let bodies): try await update(changed.account.id, bodies, google, in: project)
            }
        }
        for (hash, some) in wholes {
            try await tellingRefusals(of: some.map(\.id), in: project) { () async throws(GoogleFailure) in
                try await google.replace(some.map(\.record), hash)
            }
        }
    }

    private func revoke(_ accounts: [AccountMirror.Changed], at google: MirrorCalls, in project: ProjectSettings)
        async throws(GoogleFailure)
    {
        let there = try await google.records(of: accounts.map(\.account.id))
        for changed in accounts {
            guard let known = there[UTF8Text(changed.account.id)] else { continue }
            try await update(changed.account.id, [MirroredAccount.revocation(of: changed.account, there: known)], google, in: project)
        }
    }

    private func update(_ id: String, _ bodies: [JSON], _ google: MirrorCalls, in project: ProjectSettings) async throws(GoogleFailure) {
        try await tellingRefusals(of: [id], in: project) { () async throws(GoogleFailure) in
            for body in bodies { try await google.update(body) }
            return [:]
        }
    }

    /// Counts what became of the accounts, and logs those that Google refuses: it would refuse them in each later round, too.
    /// - Parameter calls: gives Google's reasons by the places of the accounts.
    private func tellingRefusals(
        of ids: [String], in project: ProjectSettings, _ calls: () async throws(GoogleFailure) -> [Int: String]
    ) async throws(GoogleFailure) {
        var refusals: [Int: String]
        do { refusals = try await calls() } catch {
            guard case .refused(let code) = error else { throw error }
            refusals = Dictionary(uniqueKeysWithValues: ids.indices.map { ($0, code) })
        }
        for (place, reason) in refusals where ids.indices.contains(place) {
            log.warning(
                "Firebase refuses the copy of an account",
                metadata: ["project": "\(project.id)", "account": "\(ids[place])", "reason": "\(reason)"])
        }
        metrics.count(.refused, refusals.count, in: project.id)
        metrics.count(.copied, ids.count - refusals.count, in: project.id)
    }
}
