package import Accounts
package import Curl
import JSON
package import ProjectSettings
package import Runtime
import Text

/// Asks Google for the records of a Firebase project's people, one person at a time, and reads them as an import does. Each loop has one.
package struct GoogleAccounts: FormerAccounts {
    private let upstream: any Upstream
    private let access: GoogleAccess
    private let clock: Clock

    package init(upstream: any Upstream, shared: FirebaseBridge.Shared, clock: Clock) {
        self.upstream = upstream
        access = shared.access
        self.clock = clock
    }

    package func accounts(
        of person: FormerPerson, in project: ProjectSettings, _ migration: FirebaseMigration
    ) async throws(AccountError) -> [Result<ImportedAccount, ImportFault>] {
        let google = GoogleProject(migration, upstream: upstream, access: access, clock: clock)
        let records: [JSON]
        do { records = try await google.records(of: person) } catch { throw AccountError(error, in: project) }
        let rules = ImportRules(now: clock.now())
        return records.enumerated().map { place, record in
            do throws(ImportFault) { return .success(try Self.account(record, place, rules)) } catch { return .failure(error) }
        }
    }

    /// The members of a password hash. A look-up may show them, but not the parameters that the hash was made with; the next import brings both.
    private static let ofHashes: Set<String> = ["passwordHash", "salt", "version"]

    private static func account(_ record: JSON, _ place: Int, _ rules: ImportRules) throws(ImportFault) -> ImportedAccount {
        var shown: JSON.Object = [:]
        for member in record.object ?? [:] where !ofHashes.contains(member.name.asString) { shown[member.name] = member.value }
        // An operator reads about losses where all accounts are imported.
        var (users, losses) = (FirebaseUsers(.google, hashes: nil), SourceLosses())
        return try rules.account(try users.account(shown, place: place), &losses)
    }
}

extension AccountError {
    /// - Parameter failure: says nothing of the person.
    init(_ failure: GoogleFailure, in project: ProjectSettings) {
        if case .unavailable(let reason) = failure {
            self = .formerIssuerUnavailable(reason)
        } else {
            self = .formerIssuerUnavailable("\(failure); see migration.firebase in the file of the project \(project.id)")
        }
    }
}
