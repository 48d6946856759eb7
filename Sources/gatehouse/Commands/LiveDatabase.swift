import Postgres
import Runtime
import Server

/// The part of `gatehouse check --live` that asks the database.
enum LiveDatabase {
    /// Sentences on what an operator must fix; empty when all is well.
    static func diagnose(_ settings: ServerSettings, _ loop: Loop) async -> [String] {
        let database = Console.open(settings, on: loop)
        let findings: [String]
        do {
            try await database.verifySessions()
            findings = DatabaseFindings.sentences(try await database.survey(.system), settings)
        } catch {
            findings = ["\(error)"]
        }
        await database.close()
        return findings
    }
}
