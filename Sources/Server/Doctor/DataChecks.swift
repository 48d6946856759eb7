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
            return try await keyFindings(inspection) + mailFindings(database) + projectFindings(inspection)
        } catch {
            return [.fault("data.unreadable", LogDetail.of(error), "look at the database")]
        }
    }

    private func keyFindings(_ inspection: Inspection) async throws(AccountError) -> [Finding] {
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
        for key in try await inspection.serviceAccountKeys(madeBefore: now - Self.oldKey) {
            findings.append(
                .warning(
                    "data.serviceAccountKey", "The key \(key.id) of \(key.email) is in use since \(Timestamp.minute(key.made))",
                    "make another, give it to the back end, and revoke this one"))
        }
        return findings
    }

    private func mailFindings(_ database: Database) async throws(AccountError) -> [Finding] {
        let outbox = Outbox(database: database, masterKey: configuration.server.masterKey, clock: clock)
        let (count, oldest) = try await outbox.waiting.depth()
        guard let oldest, clock.now() - oldest > Self.lateMail else { return [] }
        return [
            .fault(
                "data.mails", "\(count) \(count == 1 ? "mail waits" : "mails wait"), the oldest since \(Timestamp.minute(oldest))",
                "look at gatehouse mails list and at the server's log")
        ]
    }

    private func projectFindings(_ inspection: Inspection) async throws(AccountError) -> [Finding] {
        let known = Set(configuration.projects.map(\.settings.id))
        var findings = try await inspection.projects().filter { !known.contains($0) }.map { id in
            Finding.warning(
                "data.project", "The database has accounts of the project \(id), which no file configures",
                "give back its file; to delete its accounts, give it back, delete them, and take it away again")
        }
        if try await inspection.hasLeftovers() {
            findings.append(
                .warning(
                    "data.leftovers", "Rows that expired a day ago are still there, though every server deletes them",
                    "look whether a server runs, and at its log for could not clean up"))
        }
        return findings
    }
}
