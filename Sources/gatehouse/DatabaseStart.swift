import Logging
import Postgres
import Runtime

/// What must hold of the database before the first request, and what an operator should hear of it.
struct DatabaseStart {
    /// One a loop.
    let databases: [Database]
    let shared: Shared

    /// Throws unless sessions are our own and the schema is this binary's. Every loop gets its connection for reads.
    func verify() async throws {
        guard let first = databases.first else { return }
        do { try await first.verifySessions() } catch { throw MigrationError.database(error) }
        try await shared.settings.schema.verify(first)
        let survey = try await first.survey(shared.clock)
        for finding in DatabaseFindings.sentences(survey, shared.settings) { shared.log.warning("\(finding)") }
        for database in databases.dropFirst() {
            do { _ = try await database.survey(shared.clock) } catch {
                shared.log.warning("a loop has no database connection yet", metadata: ["error": "\(error)"])
            }
        }
    }
}
