import Accounts
import Postgres
import ProjectSettings
import Projects
import Runtime
import Web

/// Examines the tables, for what tells of something wrong.
struct DataChecks {
    let configuration: Configuration
    let clock: Clock

    /// A signing key that is used for longer than this, and a service account's key, should be replaced.
    private static let oldKey: Duration = .seconds(400 * 86400)
    /// A mail that has waited for longer than this is late.
    private static let lateMail: Duration = .seconds(600)

    func findings(_ database: Database) async -> [Finding] {
        let inspection = Inspection(database: database, masterKey: configuration.server.masterKey, clock: clock)
        do {
            let projects = try await KnownProjects(database: database).list()
            return try await keyFindings(inspection, projects) + mailFindings(database, projects) + eventFindings(database)
                + projectFindings(inspection, projects)
        } catch {
            return [.fault("data.unreadable", LogDetail.of(error), "look at the database")]
        }
    }

    private func keyFindings(_ inspection: Inspection, _ projects: [String]) async throws(AccountError) -> [Finding] {
        let keys = try await inspection.keys()
        let now = clock.now()
        var findings: [Finding] = []
        if !keys.formerlySealed.isEmpty {
            findings.append(
                .warning(
                    "data.sealed", "A former master key seals \(keys.formerlySealed.count) signing keys", "run gatehouse keys reseal"))
        }
        for key in keys.signing where now - key.since > Self.oldKey {
            findings.append(
                .warning(
                    "data.signingKey", "The \(key.algorithm) key \(key.id) has signed since \(Timestamp.minute(key.since))",
                    "run gatehouse keys rotate --purpose \(key.purpose.rawValue) --algorithm \(key.algorithm)"))
        }
        for project in projects {
            for key in try await inspection.serviceAccountKeys(of: project, madeBefore: now - Self.oldKey) {
                findings.append(
                    .warning(
                        "data.serviceAccountKey", "The key \(key.id) of \(key.email) is in use since \(Timestamp.minute(key.made))",
                        "make another, give it to the back end, and revoke this one"))
            }
        }
        return findings
    }

    private func mailFindings(_ database: Database, _ projects: [String]) async throws(AccountError) -> [Finding] {
        let outbox = Outbox(deliveries(database))
        let (count, oldest) = try await outbox.waiting.depth(in: projects)
        guard let oldest, clock.now() - oldest > Self.lateMail else { return [] }
        return [
            .fault(
                "data.mails", "\(count) \(count == 1 ? "mail waits" : "mails wait"), the oldest since \(Timestamp.minute(oldest))",
                "look at gatehouse mails list and at the server's log")
        ]
    }

    /// Endpoints that answered 410 are told nothing more, which is easily overlooked.
    private func eventFindings(_ database: Database) async throws(AccountError) -> [Finding] {
        let stopped = StoppedEndpoints(deliveries(database))
        var findings: [Finding] = []
        for settings in configuration.projects.realms.map(\.settings) where !settings.events.isEmpty {
            for endpoint in try await stopped.list(in: settings).sorted() {
                findings.append(
                    .fault(
                        "data.events",
                        "The endpoint \(endpoint) of \(settings.storageID) answered that it is gone, and is told of no events",
                        "repair it and run gatehouse events test \(settings.storageID) \(endpoint), or take its entry away"))
            }
        }
        return findings
    }

    private func deliveries(_ database: Database) -> Deliveries {
        Deliveries(database: database, masterKey: configuration.server.masterKey, clock: clock)
    }

    private func projectFindings(_ inspection: Inspection, _ projects: [String]) async throws(AccountError) -> [Finding] {
        let configured = Set(configuration.projects.realms.map(\.settings.storageID))
        // Their tenants may be rows.
        let growing = configuration.projects.filter { $0.tenants?.template != nil }.map { "\($0.settings.id)/" }
        var findings: [Finding] = []
        var hasLeftovers = false
        for id in projects {
            if !configured.contains(id), !growing.contains(where: id.hasPrefix), try await inspection.hasAccounts(id) {
                findings.append(
                    .warning(
                        "data.project", "The database has accounts of the project \(id), which no file configures",
                        "give back its file; to delete its accounts, give it back, delete them, and take it away again"))
            }
            let hashes = try await inspection.importedHashes(of: id)
            if !hashes.isEmpty {
                let counts = hashes.map { "\($0.count) by \($0.scheme)" }.joined(separator: ", ")
                findings.append(
                    .warning(
                        "data.importedHashes",
                        "Accounts of the project \(id) have password hashes of another system (\(counts)), whose checks may take another time than ours",
                        "nothing needs to be done: each is made anew when its owner signs in"))
            }
            if !hasLeftovers { hasLeftovers = try await inspection.hasLeftovers(id) }
        }
        if hasLeftovers {
            findings.append(
                .warning(
                    "data.leftovers", "Rows that expired a day ago are still there, though every server deletes them",
                    "look whether a server runs, and at its log for could not clean up"))
        }
        return findings
    }
}
