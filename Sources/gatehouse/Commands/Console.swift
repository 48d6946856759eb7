import Accounts
import Logging
import Postgres
import Runtime
import Web

/// What commands that talk to the database share.
enum Console {
    /// Opens the database on a loop of its own for as long as a command runs; refuses a schema that is not this binary's.
    static func withDatabase(_ config: String, _ body: (Database, MasterKey) async throws -> Void) async throws {
        let settings = try Configuration.server(from: config)
        let database = open(settings, on: try Loop(index: 0))
        try await database.verifySessions()
        try await settings.schema.verify(database)
        do { try await body(database, settings.masterKey) } catch let error as AccountError { throw Failed(LogDetail.of(error)) }
        await database.close()
    }

    /// Throws where a pooler between would let the database's lock go to others.
    static func verifySessions(_ settings: ServerSettings) async throws {
        let database = open(settings, on: try Loop(index: 0))
        do { try await database.verifySessions() } catch { throw MigrationError.database(error) }
        await database.close()
    }

    /// For one command, which nothing counts.
    static func open(_ settings: ServerSettings, on loop: Loop) -> Database {
        Database(loop: loop, url: settings.database, settings: settings.databasePool, metrics: Metrics(), log: .silent)
    }
}

extension Logger {
    /// For commands: what they have to say is in what they print.
    static let silent = Logger(label: "gatehouse") { _ in SwiftLogNoOpLogHandler() }
}

/// A command did not do what it was told; the process ends with 1 and says why on standard error.
struct Failed: Error, CustomStringConvertible {
    let description: String
    init(_ reason: String) { description = reason }
}
