import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct KeyedWritesTests {
    /// Adds to the number of a row. Row 41 names a place that no key has.
    private static let addition = KeyedStatement { keys in
        """
        UPDATE t SET number = number + k.more FROM (VALUES \(keys)) k (place, id, more) WHERE t.id = k.id
        RETURNING number, CASE WHEN t.id = 41 THEN 99 ELSE k.place END
        """
    }
    private static let subtraction = KeyedStatement { keys in
        """
        UPDATE t SET number = number - k.less FROM (VALUES \(keys)) k (place, id, less) WHERE t.id = k.id RETURNING number, k.place
        """
    }

    private enum Change {
        case add(Int64, to: Int64)
        case subtract(Int64, from: Int64)
        /// By a statement without a key.
        case set(Int64, to: Int64)
    }

    /// With one connection for writes.
    private var settings: DatabaseSettings {
        var settings = TestDatabase.settings
        settings.writeConnections = 1
        return settings
    }

    private func open() async throws -> Database {
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        try await fill(database)
        return database
    }

    /// Makes rows 1 to 41 whose numbers are those of the rows, and not below zero.
    private func fill(_ database: Database) async throws {
        _ = try await database.write(all: [
            "CREATE TABLE t (id bigint PRIMARY KEY, number bigint NOT NULL, CONSTRAINT positive CHECK (number >= 0))",
            "INSERT INTO t SELECT n, n FROM generate_series(1, 41) n",
        ])
    }

    /// The new numbers after changes that come in one turn of the loop; `nil` where there is no such row.
    private func make(_ changes: [Change], _ database: isolated Database) async -> [Result<Int64?, PostgresError>] {
        let tasks = changes.map { change in
            Task { () -> Result<Int64?, PostgresError> in
                do throws(PostgresError) {
                    let rows =
                        switch change {
                        case .add(let more, let id): try await add(more, to: id, database)
                        case .subtract(let less, let id):
                            try await database.write(Self.subtraction, for: "\(id), \(less)", sharingCommitAs: [UInt8(id)])
                        case .set(let id, let number):
                            try await database.write(
                                "UPDATE t SET number = \(number) WHERE id = \(id) RETURNING number", sharingCommitAs: [UInt8(id)])
                        }
                    #expect(rows.count <= 1)
                    return .success(try rows.first.map { row throws(PostgresError) in try row.value(as: Int64.self) })
                } catch { return .failure(error) }
            }
        }
        var results: [Result<Int64?, PostgresError>] = []
        for task in tasks { results.append(await task.value) }
        return results
    }

    private func add(_ more: Int64, to id: Int64, _ database: isolated Database) async throws(PostgresError) -> [Row] {
        try await database.write(Self.addition, for: "\(id), \(more)", sharingCommitAs: [UInt8(id)])
    }

    /// The number of keys of each statement of the kind that was prepared.
    private func prepared(_ start: String, _ database: Database) async throws -> [Int] {
        let rows = try await database.write(
            "SELECT statement FROM pg_prepared_statements WHERE starts_with(statement, \(start)) ORDER BY 1")
        return try rows.map { try $0.value(as: String.self).split(separator: "($").count - 1 }.sorted()
    }

    @Test func `changes the rows of several keys by one statement, and gives each its own`() async throws {
        let database = try await open()
        let before = database.roundTrips
        let results = await make([.add(100, to: 3), .add(200, to: 1), .add(1, to: 77), .add(400, to: 2)], database)
        #expect(results == [.success(103), .success(201), .success(nil), .success(402)])
        #expect(database.roundTrips == before + 1)
        #expect(try await prepared("UPDATE t SET number = number +", database) == [4])
        #expect(await make([.add(5, to: 4)], database) == [.success(9)])
        #expect(try await prepared("UPDATE t SET number = number +", database) == [1, 4])
        await database.close()
    }

    @Test func `changes a row once for each of the writes that name it`() async throws {
        let database = try await open()
        let before = database.roundTrips
        let results = await make([.add(100, to: 1), .add(200, to: 2), .add(100, to: 1), .add(100, to: 1)], database)
        #expect(Set(results.compactMap { try? $0.get() }) == [101, 201, 301, 202])
        #expect(database.roundTrips == before + 1)
        await database.close()
    }

    @Test func `runs beside other writes that share the commit, each with its own rows`() async throws {
        let database = try await open()
        let before = database.roundTrips
        let results = await make(
            [.set(5, to: 50), .add(10, to: 1), .subtract(1, from: 4), .set(2, to: 20), .add(10, to: 6), .subtract(2, from: 3)], database)
        #expect(results == [50, 11, 3, 20, 16, 1].map { .success($0) })
        #expect(database.roundTrips == before + 1)
        await database.close()
    }

    @Test func `makes one statement of each kind, in whatever order their rows come`() async throws {
        let database = try await open()
        let results = await make((1...6).map { $0 % 2 == 0 ? .add(10, to: $0) : .subtract(1, from: $0) }, database)
        #expect(results == [0, 12, 2, 14, 4, 16].map { .success($0) })
        #expect(try await prepared("UPDATE t SET number = number", database) == [3, 3])
        await database.close()
    }

    @Test func `shares a commit among sixteen at most`() async throws {
        let database = try await open()
        let before = database.roundTrips
        let results = await make((1...40).map { .add(1, to: $0) }, database)
        #expect(results == (1...40).map { .success($0 + 1) })
        #expect(database.roundTrips == before + 3)
        #expect(try await prepared("UPDATE t SET number = number +", database) == [8, 16])
        await database.close()
    }

    @Test func `gives no write the error of another`() async throws {
        let database = try await open()
        let results = await make([.add(1, to: 1), .add(-100, to: 2), .add(1, to: 3)], database)
        #expect(results == [.success(2), .failure(.constraint(name: "positive", state: "23514")), .success(4)])
        await database.close()
    }

    @Test func `loses no change of rows that two processes change at the same time`() async throws {
        let url = try await TestDatabase.empty()
        let (one, other) = (try TestDatabase.open(url, settings), try TestDatabase.open(url, settings))
        try await fill(one)
        let changes = (1...16).map { Change.add(1, to: $0) }
        for _ in 1...50 {
            async let ours = make(changes, one)
            async let theirs = make(changes, other)
            #expect(await (ours + theirs).allSatisfy { (try? $0.get()) != nil })
        }
        let numbers = try await one.query("SELECT number - id FROM t WHERE id <= 16").map { try $0.value(as: Int64.self) }
        #expect(numbers == Array(repeating: 100, count: 16))
        await one.close()
        await other.close()
    }

    @Test func `refuses a key that cannot be sent, and it alone`() async throws {
        let database = try await open()
        let key: SQL = "\("\0"), \(Int64(1))"
        await #expect(throws: try #require(key.fault)) { try await database.write(Self.addition, for: key, sharingCommitAs: [1]) }
        #expect(await make([.add(1, to: 1)], database) == [.success(2)])
        await database.close()
    }

    @Test func `fails the writes of a statement whose answer names a place that no key has`() async throws {
        let database = try await open()
        let results = await make([.add(1, to: 12), .add(1, to: 41)], database)
        #expect(results == Array(repeating: .failure(.decoding("99 is not the place of a key")), count: 2))
        await database.close()
    }
}
