import Accounts
import Postgres
import Runtime
import Server

/// The part of `gatehouse check --live` that asks the database.
struct LiveDatabase {
    /// Sentences on what an operator must fix; empty when all is well.
    var problems: [String] = []
    /// What `gatehouse migrate` would do, which is the next step after a check and no problem; `nil` when there is nothing to do.
    var pending: String?

    static func diagnose(_ configuration: Configuration, _ loop: Loop) async -> LiveDatabase {
        let settings = configuration.server
        let database = Console.open(settings, on: loop)
        var found = LiveDatabase()
        do {
            try await database.verifySessions()
            do throws(MigrationError) { try await settings.schema.verify(database) } catch {
                guard case .behind = error else { throw error }
                found.pending = "\(error)"
            }
            if found.pending == nil {
                let issuers = PinnedIssuers.configured(by: configuration.projects)
                found.problems = try await ProviderIssuers(database: database).conflicts(with: issuers).map(PinnedIssuers.sentence)
            }
            found.problems += DatabaseFindings.sentences(try await database.survey(.system), settings)
        } catch {
            found.problems = [StartFailure.text(error)]
        }
        await database.close()
        return found
    }
}
