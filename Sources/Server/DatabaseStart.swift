import Logging
import Postgres

/// Verifies the database before the first request, and logs what an operator must fix about it.
struct DatabaseStart {
    /// One for each loop, at least one.
    let databases: [Database]
    let process: ProcessContext

    /// Throws when a pooler shares the database connections with other clients, or when the schema is not this binary's. Opens a
    /// connection for reads and one for writes on every loop.
    func verify() async throws {
        // Opening a connection takes longer than any question here, so the other loops open theirs meanwhile.
        async let others: Void = connectOthers()
        let first = databases[0]
        do { try await first.verifySessions() } catch { throw MigrationError.database(error) }
        async let facts = first.startupFacts(process.clock)
        try await process.settings.schema.verify(first)
        for finding in DatabaseFindings.findings(try await facts, process.settings) { process.log.warning("\(finding.sentence)") }
        await others
    }

    private func connectOthers() async {
        await withTaskGroup(of: Void.self) { group in
            for database in databases.dropFirst() { group.addTask { await connect(database) } }
        }
    }

    private func connect(_ database: Database) async {
        do {
            _ = try await database.query("SELECT 1")
            _ = try await database.write("SELECT 1")
        } catch {
            process.log.warning("a loop has no database connection yet", metadata: ["error": "\(error)"])
        }
    }
}
