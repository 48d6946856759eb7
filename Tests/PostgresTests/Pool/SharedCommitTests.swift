import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct SharedCommitTests {
    /// A database with rows 1 to 9, to each of which a rename gives the next of `places`, and with one connection for writes unless there
    /// are `writers`.
    private func renaming(writers: Int = 1) async throws -> Database {
        var settings = TestDatabase.settings
        settings.writeConnections = writers
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        _ = try await database.write(all: [
            "CREATE TABLE t (id bigint PRIMARY KEY, name text NOT NULL, CONSTRAINT short CHECK (length(name) < 10))",
            "INSERT INTO t SELECT n, 'old' FROM generate_series(1, 9) n", "CREATE SEQUENCE places",
        ])
        return database
    }

    private func renamed(_ database: Database) async throws -> Int {
        try await database.query("SELECT 1 FROM t WHERE name = 'new'").count
    }

    @Test func `commits writes that wait together, in the order of their locks, each with its own rows`() async throws {
        let database = try await renaming()
        let before = database.roundTrips
        #expect(try await database.rename([3, 1, 10, 2, 1]).map { try $0.get() } == [4, 1, nil, 3, 2])
        #expect(database.roundTrips == before + 1)
        #expect(try await renamed(database) == 3)
        await database.close()
    }

    @Test func `runs writes again one by one when another of their batch fails`() async throws {
        let database = try await renaming()
        let before = database.roundTrips
        let results = await database.rename([1, -1, 2])
        #expect(try results[0].get() != nil)
        #expect(throws: PostgresError.constraint(name: "short", state: "23514")) { try results[1].get() }
        #expect(try results[2].get() != nil)
        #expect(database.roundTrips == before + 4)
        #expect(try await renamed(database) == 2)
        await database.close()
    }

    @Test func `gives each write of several statements its own rows, and all of them or none`() async throws {
        let database = try await renaming()
        let before = database.roundTrips
        let results = await database.renameAndTell([2, 1, -4, 3])
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false, true])
        // The batch was undone, since the table refuses the name of row 4; then each ran by itself.
        #expect(database.roundTrips == before + 5)
        #expect(try await renamed(database) == 3)
        #expect(try await database.query("SELECT 1 FROM t WHERE id = 4 AND name = 'old'").count == 1)
        let again = await database.renameAndTell([2, 1, 3])
        #expect(try again.map { try $0.get() } == [["row 2", "new"], ["row 1", "new"], ["row 3", "new"]])
        await database.close()
    }

    @Test func `waits for the disk, except for writes that need not`() async throws {
        let database = try await renaming()
        let setting: SQL = "SELECT current_setting('synchronous_commit')"
        func settings(_ durability: Durability, _ count: Int) async throws -> Set<String> {
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<count {
                    group.addTask(executorPreference: database.loop) {
                        let rows = try await database.write(all: [setting], sharingCommitAs: [UInt8(number)], durability: durability)
                        return try rows[0][0].value()
                    }
                }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }
        let usual: String = try await database.query(setting)[0].value()
        try #require(usual != "off")
        for count in [1, 3] {
            #expect(try await settings(.soon, count) == ["off"])
            #expect(try await settings(.flushed, count) == [usual])
        }
        await database.close()
    }

    @Test func `does not let a batch wait for locks as long as the server takes to look for deadlocks`() {
        for statements in [2, 16, 32, 48, 320] {
            let each = Batch.patience(statements)
            // For a row, and for the transaction that has it.
            #expect(2 * statements * (Int(each) ?? .max) < 1000)
        }
    }

    @Test func `prepares anew what the server has forgotten of a batch`() async throws {
        let database = try await renaming()
        _ = await database.rename([1, 2])
        _ = try await database.write("DEALLOCATE ALL")
        let before = database.roundTrips
        // Both statements of the batch are forgotten; that of the second is noticed when each runs by itself.
        #expect(try await database.rename([1, 2, 3]).map { try $0.get() != nil } == [true, true, true])
        #expect(database.roundTrips > before + 1)
        #expect(try await renamed(database) == 3)
        await database.close()
    }

    @Test func `fails all writes of a batch whose connection is lost`() async throws {
        let database = try await renaming()
        _ = await database.rename([1])
        for result in await database.rename([8, 0, 9]) {
            #expect { try result.get() } throws: { if case PostgresError.unavailable = $0 { true } else { false } }
        }
        #expect(try await renamed(database) == 1)
        await database.close()
    }

    @Test func `runs the others of a batch when one meets a lock`() async throws {
        let database = try await renaming(writers: 3)
        let before = database.roundTrips
        let both = try await database.transaction { transaction in
            _ = try await transaction.query("SELECT 1 FROM t WHERE id = 1 FOR UPDATE")
            let both = Task { await database.rename([1, 3]) }
            try await eventually { try await renamed(database) == 1 }
            #expect(try await database.query("SELECT 1 FROM t WHERE id = 1 AND name = 'old'").count == 1)
            // The batch, each write by itself, and the transaction's first step, besides the reads.
            #expect(database.roundTrips >= before + 4)
            return both
        }
        #expect(try await both.value.map { try $0.get() != nil } == [true, true])
        #expect(try await renamed(database) == 2)
        await database.close()
    }
}

extension Database {
    /// Renames rows, all in one turn. Row -1 gets a name that the table refuses; row 0 ends the connection instead.
    ///
    /// Returns, for each row, the place that it was given; `nil` when the row does not exist.
    fileprivate func rename(_ ids: [Int64]) async -> [Result<Int64?, PostgresError>] {
        await withTaskGroup { group in
            for (number, id) in ids.enumerated() {
                group.addTask(executorPreference: self.loop) { await (number, self.rename(id)) }
            }
            var results: [Int: Result<Int64?, PostgresError>] = [:]
            for await (number, result) in group { results[number] = result }
            return ids.indices.compactMap { results[$0] }
        }
    }

    /// Renames rows as `rename` does, each with a statement before it, all in one turn. Returns what both statements said.
    fileprivate func renameAndTell(_ ids: [Int64]) async -> [Result<[String], PostgresError>] {
        await withTaskGroup { group in
            for (number, id) in ids.enumerated() {
                group.addTask(executorPreference: self.loop) { await (number, self.renameAndTell(id)) }
            }
            var results: [Int: Result<[String], PostgresError>] = [:]
            for await (number, result) in group { results[number] = result }
            return ids.indices.compactMap { results[$0] }
        }
    }

    private func renameAndTell(_ id: Int64) async -> Result<[String], PostgresError> {
        let name = id < 0 ? "much too long" : "new"
        let row = abs(id)
        do throws(PostgresError) {
            let rows = try await write(
                all: ["SELECT 'row ' || \(row)", "UPDATE t SET name = \(name) WHERE id = \(row) RETURNING name"],
                sharingCommitAs: [UInt8(row)])
            return .success(try rows.joined().map { row throws(PostgresError) in try row.value(as: String.self) })
        } catch {
            return .failure(error)
        }
    }

    private func rename(_ id: Int64) async -> Result<Int64?, PostgresError> {
        let name = id < 0 ? "much too long" : "new"
        let row = abs(id)
        let sql: SQL =
            id == 0
            ? "SELECT 1 FROM pg_terminate_backend(pg_backend_pid())"
            : "UPDATE t SET name = \(name) WHERE id = \(row) RETURNING nextval('places')"
        do throws(PostgresError) {
            let rows = try await write(sql, sharingCommitAs: [UInt8(row)])
            return .success(try rows.first.map { row throws(PostgresError) in try row.value(as: Int64.self) })
        } catch {
            return .failure(error)
        }
    }
}
