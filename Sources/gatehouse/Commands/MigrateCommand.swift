import ArgumentParser
import Postgres
import Server

/// `gatehouse migrate`: brings the database's schema up to this binary's.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Apply the migrations that the database has not seen. Safe to run at any time, by several at once.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let server = try common.serverSettings()
        let applied = try await CommandSupport.migrate(server)
        for migration in applied { print("applied \(migration)") }
        print(applied.isEmpty ? "The schema is current." : "The schema is current: \(applied.count) applied.")
    }
}
