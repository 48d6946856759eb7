import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct DatabaseReadTests {
    @Test func `reads every type from the server`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let instant = Instant(microseconds: 1_700_000_000_123_456)
        let none: String? = nil
        let empty: [UInt8] = []
        let rows = try await database.query(
            """
            SELECT \(true), \(Int.min), \(Int16(-2)), \(Int32(7)), \(0.5), \("é\u{1F44B}"), \([0, 255] as [UInt8]), \(instant), \(["a", ""]),
                \(none), \(#"{"a": 1}"#)::jsonb, \([1, -1] as [Int64]), 'x'::varchar, \(""), \(empty), \([] as [String])
            """)
        var row = try #require(rows.first).reader()
        func expect<T: SQLValue & Equatable>(_ value: T) throws {
            let read: T = try row.next()
            #expect(read == value)
        }
        try expect(true)
        try expect(Int.min)
        try expect(-2)
        try expect(7 as Int64)
        try expect(0.5)
        try expect("é\u{1F44B}")
        try expect([0, 255] as [UInt8])
        try expect(instant)
        try expect(["a", ""])
        try expect(none)
        try expect(#"{"a": 1}"#)
        try expect([1, -1] as [Int64])
        try expect("x" as String?)
        try expect("")
        try expect(empty)
        try expect([] as [String])
        await database.close()
    }

    @Test func `names the column that can't be read, not its value`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let row = try #require(try await database.query("SELECT 'hidden' AS name, NULL::int AS age").first)
        #expect(throws: PostgresError.decoding("column 0 (name) of type 25 is not Int")) { try row.value(as: Int.self) }
        var reader = row.reader()
        for fault in [
            "column 0 (name) of type 25 is not Int", "column 1 (age) is NULL, not Int", "column 2 does not exist; the answer has 2 columns",
        ] {
            #expect(throws: PostgresError.decoding(fault)) { try reader.next(as: Int.self) }
        }
        await database.close()
    }

    @Test func `answers each of many reads at once with its own rows, whatever its neighbours do`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    if number % 7 == 3 {
                        await #expect(throws: PostgresError.sql(state: "22012", message: "message withheld, it may quote a value")) {
                            try await database.query("SELECT 1 / (\(number) - \(number))")
                        }
                    } else if number % 7 == 5 {
                        await #expect(throws: PostgresError.self) { try await database.query("SELECT nothing FROM nowhere") }
                    } else {
                        let rows = try await database.query("SELECT \(number), \(String(repeating: "x", count: number * 20))")
                        var row = rows[0].reader()
                        let (first, second): (Int, String) = (try row.next(), try row.next())
                        #expect(first == number && second.utf8.count == number * 20)
                    }
                }
            }
            try await group.waitForAll()
        }
        await database.close()
    }

    @Test func `sends the reads of one turn in one round trip`() async throws {
        var settings = TestDatabase.settings
        settings.readConnections = 1
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        try await database.ping()
        let before = database.roundTrips
        try await readTogether(database, 40)
        #expect(database.roundTrips == before + 1)
        await database.close()
    }

    @Test func `gathers reads of a turn on one of several connections`() async throws {
        var settings = TestDatabase.settings
        settings.readConnections = 3
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        try await database.ping()
        try await readTogether(database, 2)
        #expect(await database.readLoads == [0], "two reads of one turn need no second connection")
        // Where a read waits, the next turn opens another connection.
        let waiting = try await database.transaction { transaction in
            _ = try await transaction.query("SELECT pg_advisory_xact_lock(1)")
            let first = Task { _ = try await database.query("SELECT pg_advisory_xact_lock_shared(1)") }
            try await eventually { await database.readLoads == [1] }
            let second = Task { _ = try await database.query("SELECT 1") }
            try await eventually { await database.readLoads.count == 2 }
            return [first, second]
        }
        for task in waiting { try await task.value }
        try await eventually { await database.areReadsReady }
        let before = database.roundTrips
        try await readTogether(database, 16)
        #expect(database.roundTrips == before + 1)
        try await readTogether(database, 17)
        #expect(database.roundTrips == before + 3)
        #expect(await database.readLoads == [0, 0])
        await database.close()
    }

    private func readTogether(_ database: isolated Database, _ count: Int) async throws {
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<count {
            tasks.append(
                Task {
                    _ = database
                    return try await database.query("SELECT \(number)")[0].value()
                })
        }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    }

    @Test func `answers with more rows than fit a buffer`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let rows = try await database.query("SELECT n, repeat('x', 1000) FROM generate_series(1, 20000) n")
        #expect(rows.count == 20000)
        #expect(try rows[19999].value(as: Int.self) == 20000)
        await database.close()
    }

    @Test func `sends more than the socket takes at once`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let megabytes = [UInt8](repeating: 7, count: 8 << 20)
        async let first = database.query("SELECT length(\(megabytes))")
        async let second = database.query("SELECT length(\(megabytes)), \(megabytes)")
        #expect(try await first[0].value(as: Int.self) == 8 << 20)
        var row = try await second[0].reader()
        let (length, bytes): (Int, [UInt8]) = (try row.next(), try row.next())
        #expect(length == 8 << 20 && bytes == megabytes)
        await database.close()
    }

    @Test func `refuses a statement that writes`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        await #expect(throws: PostgresError.sql(state: "25006", message: "cannot execute CREATE TABLE in a read-only transaction")) {
            try await database.query("CREATE TABLE t ()")
        }
        await database.close()
    }

    @Test func `prepares anew what the server has forgotten`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        for _ in 0..<3 {
            #expect(try await database.query("SELECT \(1)").count == 1)
            #expect(try await database.write("SELECT \(2)").count == 1)
            _ = try await database.query("DEALLOCATE ALL")
            _ = try await database.write("DISCARD ALL")
        }
        await database.close()
    }

    @Test func `goes on with a table that was changed under its statements`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        _ = try await database.write("CREATE TABLE t AS SELECT 1 AS a")
        for columns in 1...3 {
            let read = try #require(try await database.query("SELECT * FROM t").first)
            let written = try #require(try await database.write("UPDATE t SET a = a RETURNING *").first)
            for row in [read, written] {
                var row = row.reader()
                for column in 1...columns {
                    let value: Int? = try row.next()
                    #expect(value == (column == 1 ? 1 : nil))
                }
                #expect(throws: PostgresError.self) { try row.next(as: Int?.self) }
            }
            _ = try await database.write(SQL(unsafe: "ALTER TABLE t ADD column\(columns) bigint"))
        }
        await database.close()
    }

    @Test func `ends a statement that takes too long and answers those behind it`() async throws {
        var settings = TestDatabase.settings
        settings.readConnections = 1
        settings.statementTimeout = .milliseconds(100)
        settings.silence = .seconds(600)
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        // Both on the loop, which takes them in this order.
        let slow = Task(executorPreference: database.loop) { try await database.query("SELECT pg_sleep(600)") }
        // It sets its own time limit, since the server's speed is not what is tested.
        let quick = Task(executorPreference: database.loop) {
            try await database.query("SELECT set_config('statement_timeout', '600000', false)")
        }
        await #expect(throws: PostgresError.timedOut) { try await slow.value }
        #expect(try await quick.value.count == 1)
        await #expect(throws: PostgresError.timedOut) { try await database.write("SELECT pg_sleep(600)") }
        await database.close()
    }

    @Test func `finishes the statement of a cancelled task and goes on`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let task = Task { try await database.query("SELECT 5 FROM pg_sleep(0.05)")[0].value(as: Int.self) }
        task.cancel()
        #expect(try await task.value == 5)
        #expect(try await database.query("SELECT 6")[0].value(as: Int.self) == 6)
        await database.close()
    }

    @Test func `refuses reads when too many are under way`() async throws {
        var settings = TestDatabase.settings
        settings.readConnections = 1
        settings.readsUnderWay = 2
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        _ = try await database.write("CREATE TABLE t (a int)")
        try await database.transaction { transaction in
            _ = try await transaction.query("LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do throws(PostgresError) { return try await database.query("SELECT a FROM t").isEmpty } catch {
                            #expect(error == .unavailable("too many calls wait for a connection"))
                            return false
                        }
                    }
                }
                #expect(try await group.next() == false)
                _ = try await transaction.query("DROP TABLE t")
                _ = try await transaction.query("CREATE TABLE t (a int)")
                try await transaction.commit()
                #expect(try await group.next() == true)
                #expect(try await group.next() == true)
            }
        }
        await database.close()
    }

    @Test func `closes its connections when it is released`() async throws {
        let url = try await TestDatabase.empty()
        do {
            let database = try TestDatabase.open(url)
            _ = try await database.write(all: ["SELECT 1"])
            try await database.ping()
        }
        let observer = try TestDatabase.open(url)
        try await eventually { try await observer.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()").count == 1 }
        await observer.close()
    }
}

extension Database {
    /// The calls that wait on each connection for reads.
    fileprivate var readLoads: [Int] { reads.compactMap { connection in connection?.assumeIsolated { $0.load } } }
    fileprivate var areReadsReady: Bool { reads.allSatisfy { connection in connection?.assumeIsolated { $0.state == .ready } ?? true } }
}
