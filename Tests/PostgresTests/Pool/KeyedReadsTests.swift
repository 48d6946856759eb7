import Runtime
import Synchronization
import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct KeyedReadsTests {
    /// Finds people's names by their numbers.
    private static func names(_ database: Database, _ statements: Statements = Statements()) -> KeyedReads {
        KeyedReads(
            database,
            of: KeyedStatement { keys in
                statements.made.withLock { $0 += 1 }
                return """
                    SELECT p.name, 1 / p.divisor, k.place FROM (VALUES \(keys)) k (place, id)
                    JOIN people p ON p.id = k.id
                    """
            })
    }

    /// Takes ten minutes for each key.
    private static func sleepers(_ database: Database, _ statements: Statements) -> KeyedReads {
        KeyedReads(
            database,
            of: KeyedStatement { keys in
                statements.made.withLock { $0 += 1 }
                return "SELECT 'late', k.place FROM (VALUES \(keys)) k (place, id), LATERAL (SELECT pg_sleep(600 + k.id)) s"
            })
    }

    private static let lock: Int64 = 4

    /// Waits for the person 1 while another session has the lock.
    private static func waiters(_ database: Database, _ statements: Statements) -> KeyedReads {
        KeyedReads(
            database,
            of: KeyedStatement { keys in
                statements.made.withLock { $0 += 1 }
                return """
                    SELECT 'person ' || k.id || CASE k.id WHEN 1 THEN pg_advisory_xact_lock_shared(\(lock))::text ELSE '' END, k.place
                    FROM (VALUES \(keys)) k (place, id)
                    """
            })
    }

    private final class Statements: Sendable {
        let made = Mutex(0)
        var count: Int { made.withLock { $0 } }
    }

    private func open(_ settings: DatabaseSettings = TestDatabase.settings) async throws -> Database {
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        _ = try await database.write("CREATE TABLE people (id bigint PRIMARY KEY, name text, divisor int NOT NULL DEFAULT 1)")
        _ = try await database.write("INSERT INTO people SELECT n, 'person ' || n FROM generate_series(1, 100) n")
        try await database.ping()
        return database
    }

    /// What a call gets: a name, none, or the error.
    private typealias Answer = Result<String?, PostgresError>

    /// Calls of one turn of the loop. They have asked when the next call on `database` begins.
    private func begin(_ names: KeyedReads, _ ids: [Int], _ database: isolated Database) -> [Task<Answer, Never>] {
        ids.map { id in
            Task { () -> Answer in
                _ = database
                do throws(PostgresError) {
                    let rows = try await names.rows(for: "\(Int64(id))")
                    #expect(rows.count <= 1)
                    guard let row = rows.first else { return .success(nil) }
                    return .success(try row.value())
                } catch { return .failure(error) }
            }
        }
    }

    private func ask(_ names: KeyedReads, _ ids: [Int], _ database: Database) async -> [Answer] {
        await answers(begin(names, ids, database))
    }

    private func answers(_ asking: [Task<Answer, Never>]) async -> [Answer] {
        var answers: [Answer] = []
        for task in asking { answers.append(await task.value) }
        return answers
    }

    @Test func `answers the calls of a turn by one statement, each with its own row`() async throws {
        let database = try await open()
        let statements = Statements()
        let names = Self.names(database, statements)
        #expect(
            await ask(names, [7, 7, 101, 3], database) == [.success("person 7"), .success("person 7"), .success(nil), .success("person 3")])
        #expect(statements.count == 1)
        #expect(await ask(names, [9], database) == [.success("person 9")])
        #expect(statements.count == 2)
        await database.close()
    }

    @Test func `asks for 32 at most with one statement`() async throws {
        let database = try await open()
        let statements = Statements()
        let names = Self.names(database, statements)
        let ids = Array(1...65)
        #expect(await ask(names, ids, database) == ids.map { .success("person \($0)") })
        #expect(statements.count == 3)
        await database.close()
    }

    /// Calls `body` while the person 1 was asked for and is not answered.
    private func whileOneWaits<Value: Sendable>(
        connections: Int, _ body: @Sendable @escaping (Database, KeyedReads, Statements) async throws -> Value
    ) async throws -> Value {
        var settings = TestDatabase.settings
        settings.readConnections = connections
        let database = try await open(settings)
        let statements = Statements()
        let waiters = Self.waiters(database, statements)
        let (value, first) = try await database.transaction { transaction in
            _ = try await transaction.query("SELECT pg_advisory_xact_lock(\(Self.lock))")
            let first = Task { await ask(waiters, [1], database) }
            try await eventually { statements.count == 1 }
            return (try await body(database, waiters, statements), first)
        }
        #expect(await first.value == [.success("person 1")])
        return value
    }

    @Test func `lets calls that come while every connection has a statement under way share the next one`() async throws {
        let (database, asking, statements) = try await whileOneWaits(connections: 1) { database, waiters, statements in
            let asking = [await begin(waiters, [2], database), await begin(waiters, [3], database)].flatMap(\.self)
            // Its answer comes in a later turn of the loop than those calls.
            _ = try await database.write("SELECT 1")
            #expect(statements.count == 1)
            return (database, asking, statements)
        }
        #expect(await answers(asking) == [.success("person 2"), .success("person 3")])
        #expect(statements.count == 2)
        await database.close()
    }

    @Test func `sends a statement at once when 32 calls wait for it`() async throws {
        let (database, asking, statements) = try await whileOneWaits(connections: 1) { database, waiters, statements in
            let first = await begin(waiters, Array(2...32), database)
            _ = try await database.write("SELECT 1")
            #expect(statements.count == 1)
            let last = await begin(waiters, [33], database)
            _ = try await database.write("SELECT 1")
            #expect(statements.count == 2)
            return (database, first + last, statements)
        }
        #expect(await answers(asking) == (2...33).map { .success("person \($0)") })
        #expect(statements.count == 2)
        await database.close()
    }

    @Test func `lets calls that wait for a late answer take another connection`() async throws {
        let (database, statements) = try await whileOneWaits(connections: 2) { database, waiters, statements in
            #expect(await ask(waiters, [2], database) == [.success("person 2")])
            return (database, statements)
        }
        #expect(statements.count == 2)
        await database.close()
    }

    @Test func `gives no call the error of another`() async throws {
        let database = try await open()
        _ = try await database.write("UPDATE people SET divisor = 0 WHERE id = 2")
        let statements = Statements()
        let names = Self.names(database, statements)
        let failed = PostgresError.sql(state: "22012", message: "message withheld, it may quote a value")
        #expect(await ask(names, [1, 2, 3], database) == [.success("person 1"), .failure(failed), .success("person 3")])
        #expect(statements.count == 1 + 3)
        #expect(await ask(names, [2], database) == [.failure(failed)])
        #expect(statements.count == 1 + 3 + 1, "an error of one key is asked for once")
        await database.close()
    }

    @Test func `refuses a key that cannot be sent, and it alone`() async throws {
        let database = try await open()
        let names = Self.names(database)
        let key: SQL = "\(Int64(5)), \("\0")"
        let fault = try #require(key.fault)
        await #expect(throws: fault) { try await names.rows(for: key) }
        #expect(await ask(names, [5], database) == [.success("person 5")])
        await database.close()
    }

    @Test func `fails all calls when the database is closed under their statement`() async throws {
        let database = try await open()
        let statements = Statements()
        let slow = Self.sleepers(database, statements)
        let asking = Task { await ask(slow, [1, 2, 3], database) }
        try await eventually { statements.count == 1 }
        await database.close()
        #expect(await asking.value == Array(repeating: .failure(.unavailable("closed")), count: 3))
        #expect(statements.count == 1)
    }

    @Test func `asks no key again when its statement took too long`() async throws {
        var settings = TestDatabase.settings
        settings.statementTimeout = .milliseconds(100)
        settings.silence = .seconds(600)
        let database = try await open(settings)
        let statements = Statements()
        let slow = Self.sleepers(database, statements)
        #expect(await ask(slow, [1, 2], database) == [.failure(.timedOut), .failure(.timedOut)])
        #expect(statements.count == 1)
        await database.close()
    }

    @Test func `travels with the other reads of its turn`() async throws {
        let database = try await open()
        let names = Self.names(database)
        let before = database.roundTrips
        try await readTogether(names, database)
        #expect(database.roundTrips == before + 1)
        await database.close()
    }

    /// Asks in one turn, first for a row by a statement of its own and then for two by keys.
    private func readTogether(_ names: KeyedReads, _ database: isolated Database) async throws {
        let other = Task {
            _ = database
            return try await database.query("SELECT 'alone'")[0].value(as: String.self)
        }
        #expect(await answers(begin(names, [1, 2], database)) == [.success("person 1"), .success("person 2")])
        #expect(try await other.value == "alone")
    }

    @Test func `asks one by one when an answer names a place that no key has`() async throws {
        let database = try await open()
        let names = KeyedReads(
            database,
            of: KeyedStatement { keys in
                "SELECT 'anybody', k.place + 5 FROM (VALUES \(keys)) k (place, id)"
            })
        #expect(await ask(names, [1, 2], database) == [.success("anybody"), .success("anybody")])
        await database.close()
    }
}
