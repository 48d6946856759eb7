import Accounts
import Postgres
import Runtime
import TestKit
import Testing

@testable import Server

@Suite(.takesTurns) struct ReadinessTests {
    @Test func `is ready when the database has this binary's schema and takes writes`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        try await Readiness(database, try Schema.embedded()).verify()
    }

    @Test func `is not ready without its schema, and ready once that is there`() async throws {
        let url = try await TestDatabase.empty()
        let readiness = Readiness(try TestDatabase.open(url), try Schema.embedded())
        await #expect(throws: MigrationError.self) { try await readiness.verify() }
        _ = try await Schema.embedded().migrate(url: url)
        try await readiness.verify()
    }

    @Test func `is not ready while the database takes no writes`() async throws {
        let url = try await TestDatabase.make()
        let owner = try TestDatabase.open(url)
        // It counts for sessions that begin afterwards.
        _ = try await owner.write(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$")
        var settings = TestDatabase.settings
        // A write waits so long for a server that takes it.
        settings.patience = .milliseconds(300)
        let readiness = Readiness(try TestDatabase.open(url, settings), try Schema.embedded())
        await #expect(throws: PostgresError.self) { try await readiness.verify() }
    }

    @Test func `asks the database once for all callers of one time`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.make())
        let readiness = Readiness(database, try Schema.embedded())
        func asked(by callers: Int) async throws -> Int {
            let before = database.roundTrips
            // The callers of one loop come before the database's answer.
            try await Task(executorPreference: database.loop) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers { group.addTask { try await readiness.verify() } }
                    try await group.waitForAll()
                }
            }.value
            return database.roundTrips - before
        }
        let once = try await asked(by: 1)
        #expect(once > 0)
        #expect(try await asked(by: 5) == once)
    }
}
