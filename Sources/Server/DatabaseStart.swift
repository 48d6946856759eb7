import Logging
import Postgres
import Runtime

/// Verifies the database before the first request, and logs what an operator must fix about it.
struct DatabaseStart {
    /// One for each loop, at least one.
    let openings: [DatabaseOpening]
    let shared: Shared

    /// Throws when a pooler shares the database connections with other clients, or when the schema is not this binary's. Afterwards every
    /// loop has a connection for reads and one for writes, or the log says why not.
    func verify() async throws {
        let database = openings[0].database
        // Whatever is wrong, the questions below will say so.
        _ = await openings[0].error
        do { try await database.verifySessions() } catch { throw MigrationError.database(error) }
        async let survey = database.survey(shared.clock)
        try await shared.settings.schema.verify(database)
        for finding in DatabaseFindings.findings(try await survey, shared.settings) { shared.log.warning("\(finding.sentence)") }
        for opening in openings {
            guard let error = await opening.error else { continue }
            shared.log.warning("a loop has no database connection yet", metadata: ["error": "\(error)"])
        }
    }
}

/// The opening of a loop's first connections: one for reads and one for writes. It takes longer than anything else at a start, so it begins
/// as soon as there is a database, and the rest of the start goes on beside it.
struct DatabaseOpening: Sendable {
    let database: Database
    private let task: Task<PostgresError?, Never>

    init(_ database: Database) {
        self.database = database
        task = Task(executorPreference: database.loop) {
            do throws(PostgresError) {
                _ = try await database.query("SELECT 1")
                _ = try await database.write("SELECT 1")
                return nil
            } catch {
                return error
            }
        }
    }

    /// The reason why a connection could not be opened; `nil` when both are open.
    var error: PostgresError? { get async { await task.value } }
}
