import Postgres
import Runtime
import TestKit
import Testing

@Suite(.takesTurns) struct DatabaseWriteTests {
    private func database(_ settings: DatabaseSettings = TestDatabase.settings) async throws -> Database {
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        _ = try await database.write(all: [
            "CREATE TABLE t (id bigint PRIMARY KEY, name text NOT NULL, CONSTRAINT short CHECK (length(name) < 10))",
            "CREATE TABLE child (parent bigint CONSTRAINT has_parent REFERENCES t DEFERRABLE INITIALLY DEFERRED)",
        ])
        return database
    }

    private func count(_ database: Database) async throws -> Int {
        try await database.query("SELECT count(*) FROM t")[0].value()
    }

    @Test func `gives back what a write returns`() async throws {
        let database = try await database()
        let rows = try await database.write("INSERT INTO t VALUES (\(1), \("Ada")), (\(2), \("Bob")) RETURNING name")
        #expect(try rows.map { row throws in try row.value(as: String.self) } == ["Ada", "Bob"])
        let all = try await database.write(all: ["SELECT 1", "DELETE FROM t", "SELECT count(*), 'x' FROM t"])
        #expect(all.map(\.count) == [1, 0, 1])
        #expect(try all[2][0].value(as: Int.self) == 0)
        #expect(try await database.write(all: []).isEmpty)
        await database.close()
    }

    @Test func `commits all statements or none`() async throws {
        let database = try await database()
        await #expect(throws: PostgresError.constraint(name: "t_pkey", state: "23505")) {
            try await database.write(all: [
                "INSERT INTO t VALUES (1, 'a')", "INSERT INTO t VALUES (1, 'b')", "INSERT INTO t VALUES (2, 'c')",
            ])
        }
        #expect(try await count(database) == 0)
        await database.close()
    }

    @Test func `keeps one connection for all who wait for one row, and gives up when the row stays locked`() async throws {
        var settings = TestDatabase.settings
        settings.writeConnections = 4
        settings.statementTimeout = .seconds(5)
        settings.patience = .seconds(60)
        let database = try await database(settings)
        _ = try await database.write("INSERT INTO t VALUES (1, 'a')")
        let waiting = try await database.transaction { transaction in
            _ = try await transaction.query("SELECT 1 FROM t WHERE id = 1 FOR UPDATE")
            let waiting = (0..<8).map { number in
                Task(executorPreference: database.loop) { () async -> PostgresError? in
                    do {
                        if number == 4 {
                            try await database.transaction(oneAtATimeFor: [1]) { other in
                                _ = try await other.query("UPDATE t SET name = 'b' WHERE id = 1")
                            }
                        } else {
                            _ = try await database.write(all: ["UPDATE t SET name = 'b' WHERE id = 1"], oneAtATimeFor: [1])
                        }
                        return nil
                    } catch { return error as? PostgresError }
                }
            }
            try await eventually { try await database.countWaitsForLocks() == 1 }
            _ = try await database.write(all: ["INSERT INTO t VALUES (2, 'b')"], oneAtATimeFor: [2])
            #expect(try await database.countWaitsForLocks() == 1)
            #expect(await waiting[0].value == .locked)
            return waiting[1...]
        }
        var answers: [PostgresError?] = []
        for task in waiting { answers.append(await task.value) }
        // A machine that is too busy to commit within a second lets the next one give up, too.
        #expect(answers.contains(nil) && answers.allSatisfy { $0 == nil || $0 == .locked })
        await database.close()
    }

    @Test func `names the constraint that refused a row`() async throws {
        let database = try await database()
        await #expect(throws: PostgresError.constraint(name: "short", state: "23514")) {
            try await database.write("INSERT INTO t VALUES (1, \("much too long"))")
        }
        await #expect(throws: PostgresError.constraint(name: "name", state: "23502")) {
            try await database.write("INSERT INTO t VALUES (1, NULL)")
        }
        await database.close()
    }

    @Test func `fails when the commit does`() async throws {
        let database = try await database()
        let error = PostgresError.constraint(name: "has_parent", state: "23503")
        await #expect(throws: error) { try await database.write("INSERT INTO child VALUES (7)") }
        await #expect(throws: error) {
            try await database.transaction { transaction in _ = try await transaction.query("INSERT INTO child VALUES (7)") }
        }
        #expect(try await database.query("SELECT 1 FROM child").isEmpty)
        // The same connections continue to work.
        _ = try await database.write(all: ["INSERT INTO child VALUES (7)", "INSERT INTO t VALUES (7, 'late')"])
        await database.close()
    }

    @Test func `commits a transaction when its body ends`() async throws {
        let database = try await database()
        let before = database.roundTrips
        let id = try await database.transaction { transaction in
            let id: Int = try await transaction.query("INSERT INTO t VALUES (5, 'a') RETURNING id")[0].value()
            _ = try await transaction.query("INSERT INTO t VALUES (\(id + 1), 'b')")
            return id
        }
        #expect(id == 5)
        #expect(database.roundTrips == before + 3)
        #expect(try await count(database) == 2)
        await database.close()
    }

    @Test func `rolls a transaction back when its body throws`() async throws {
        struct Changed: Error {}
        let database = try await database()
        await #expect(throws: Changed.self) {
            try await database.transaction { transaction in
                _ = try await transaction.query("INSERT INTO t VALUES (1, 'a')")
                throw Changed()
            }
        }
        #expect(try await count(database) == 0)
        await database.close()
    }

    @Test func `doesn't commit a transaction whose body swallowed an error`() async throws {
        let database = try await database()
        let error = PostgresError.constraint(name: "t_pkey", state: "23505")
        await #expect(throws: error) {
            try await database.transaction { transaction in
                _ = try await transaction.query("INSERT INTO t VALUES (1, 'a')")
                _ = try? await transaction.query("INSERT INTO t VALUES (1, 'b')")
                _ = try? await transaction.query("INSERT INTO t VALUES (2, 'c')")
            }
        }
        #expect(try await count(database) == 0)
        await database.close()
    }

    @Test func `does nothing in a transaction that is over`() async throws {
        let database = try await database()
        let kept = try await database.transaction { $0 }
        await #expect(throws: PostgresError.unavailable("the transaction is over")) {
            try await kept.query("INSERT INTO t VALUES (1, 'a')")
        }
        #expect(try await count(database) == 0)
        await database.close()
    }

    @Test func `keeps the writes of others out of a transaction`() async throws {
        var settings = TestDatabase.settings
        settings.writeConnections = 2
        let database = try await database(settings)
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await database.transaction { transaction in
                _ = try await transaction.query("INSERT INTO t VALUES (1, 'a')")
                for number in 2...9 { _ = try await database.write("INSERT INTO t VALUES (\(number), 'b')") }
                throw Undone()
            }
        }
        #expect(try await count(database) == 8)
        await database.close()
    }

    @Test func `serves more writers than it has connections`() async throws {
        let database = try await database()
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    if number.isMultiple(of: 3) {
                        try await database.transaction { transaction in
                            _ = try await transaction.query("INSERT INTO t VALUES (\(number), 'tx')")
                        }
                    } else {
                        _ = try await database.write("INSERT INTO t VALUES (\(number), 'w')")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await count(database) == 300)
        let open = try await database.query("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        #expect(try open[0].value(as: Int.self) <= 10)
        await database.close()
    }

    @Test func `refuses writes when too many wait, and those that wait too long`() async throws {
        var settings = TestDatabase.settings
        settings.writeConnections = 1
        settings.waiting = 2
        settings.patience = .milliseconds(300)
        let url = try await TestDatabase.empty()
        let database = try TestDatabase.open(url, settings)
        try await eventually { (try? await database.write("CREATE TABLE IF NOT EXISTS t (id bigint, name text)")) != nil }
        try await database.transaction { transaction in
            _ = try await transaction.query("SELECT 1")
            let failures = await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask { () -> PostgresError? in
                        do throws(PostgresError) { _ = try await database.write("INSERT INTO t VALUES (\(number), 'a')") } catch {
                            return error
                        }
                        return nil
                    }
                }
                return await group.reduce(into: [PostgresError?]()) { $0.append($1) }
            }
            #expect(failures.count { $0 == .unavailable("too many calls wait for a connection") } == 1)
            #expect(failures.count { $0 == .unavailable("no connection became free within 0.3 seconds") } == 2)
        }
        try await eventually { (try? await database.write("INSERT INTO t VALUES (10, 'a')")) != nil }
        await database.close()
        let observer = try TestDatabase.open(url)
        #expect(try await count(observer) == 1)
        await observer.close()
    }

    @Test func `fails what runs and what comes after it is closed`() async throws {
        let database = try await database()
        let running = Task { try await database.write("SELECT pg_sleep(600)") }
        let reading = Task { try await database.query("SELECT pg_sleep(600)") }
        try await eventually {
            try await database.write("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()").count
                == 2
        }
        await database.close()
        await #expect(throws: PostgresError.unavailable("closed")) { try await running.value }
        await #expect(throws: PostgresError.unavailable("closed")) { try await reading.value }
        await #expect(throws: PostgresError.unavailable("closed")) { try await database.ping() }
        await #expect(throws: PostgresError.unavailable("closed")) { try await database.write("SELECT 1") }
    }
}
