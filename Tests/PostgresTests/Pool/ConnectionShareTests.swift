import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct ConnectionShareTests {
    /// A role with a limit on connections, and databases of one process that use it.
    private struct Narrow {
        let owner: Database
        let role: SQL
        let databases: [Database]

        init(connections: Int, databases count: Int) async throws {
            let url = try await TestDatabase.empty()
            owner = try TestDatabase.open(url)
            role = SQL(unsafe: "narrow_\(UInt32.random(in: 0 ... .max))")
            _ = try await owner.write(all: [
                "CREATE TABLE t (a int)", SQL(unsafe: "CREATE ROLE \(role.text) LOGIN CONNECTION LIMIT \(connections)"),
                "GRANT ALL ON t TO \(role)",
            ])
            var target = try ConnectionString(url)
            target["user"] = role.text
            let share = ConnectionShare()
            let narrow = target.text
            databases = try (0..<count).map { index in
                Database(
                    loop: try Loop(index: index), url: narrow, settings: TestDatabase.settings, share: share, metrics: Metrics(),
                    log: TestDatabase.silent)
            }
        }

        func close() async throws {
            for database in databases { await database.close() }
            _ = try await owner.write(all: ["DROP OWNED BY \(role)", "DROP ROLE \(role)"])
            await owner.close()
        }
    }

    @Test func `lets every loop have a connection for reads and one for writes where there are too few`() async throws {
        let narrow = try await Narrow(connections: 5, databases: 2)
        let (greedy, late) = (narrow.databases[0], narrow.databases[1])
        // The first takes all connections and is never idle; the second finds none left.
        let crowd = (0..<20).map { _ in
            Task { while !Task.isCancelled { _ = try await greedy.write("INSERT INTO t SELECT 1 FROM pg_sleep(0.01)") } }
        }
        try await eventually {
            try await narrow.owner.query("SELECT 1 FROM pg_stat_activity WHERE usename = \(narrow.role.text)").count == 5
        }
        _ = try await late.query("SELECT a FROM t")
        _ = try await late.write("INSERT INTO t VALUES (2)")
        #expect(try await greedy.query("SELECT a FROM t WHERE a = 2").count == 1)
        for task in crowd { task.cancel() }
        for task in crowd { try await task.value }
        try await narrow.close()
    }

    /// Opens `count` connections for writes and leaves them idle.
    private func openWrites(_ count: Int, _ database: Database) async throws {
        if count == 0 { return }
        try await database.transaction { _ in try await openWrites(count - 1, database) }
    }

    @Test func `asks one loop after the other, and those that come later keep what they have`() async throws {
        let narrow = try await Narrow(connections: 9, databases: 3)
        let (first, second, last) = (narrow.databases[0], narrow.databases[1], narrow.databases[2])
        for (database, count) in [(first, 5), (second, 2)] {
            try await openWrites(count, database)
            #expect(database.metrics.readConnections.value == 1 && database.metrics.writeConnections.value == count)
        }
        _ = try await last.query("SELECT a FROM t")
        // This runs after everything that it was asked to give back.
        _ = try await second.query("SELECT a FROM t")
        #expect(second.metrics.readConnections.value == 1 && second.metrics.writeConnections.value == 2)
        #expect(first.metrics.writeConnections.value < 5)
        try await narrow.close()
    }

    @Test func `asks the next where one has nothing to give`() async throws {
        let narrow = try await Narrow(connections: 4, databases: 3)
        let (first, second, last) = (narrow.databases[0], narrow.databases[1], narrow.databases[2])
        _ = try await first.query("SELECT a FROM t")
        try await openWrites(2, second)
        _ = try await last.query("SELECT a FROM t")
        #expect(first.metrics.readConnections.value == 1)
        #expect(second.metrics.writeConnections.value < 2)
        try await narrow.close()
    }

    @Test func `does not count a connection that it gives back as lost, and asks its reads again`() async throws {
        let url = try await TestDatabase.empty()
        let database = try TestDatabase.open(url)
        let holder = try TestDatabase.open(url)
        _ = try await holder.write("SELECT 1 FROM pg_advisory_lock(1)")
        let ask = { (number: Int) in
            Task { try await database.query("SELECT \(number) FROM pg_advisory_xact_lock_shared(1)")[0].value(as: Int.self) }
        }
        let reads = (0..<20).map(ask)
        try await eventually { database.metrics.readConnections.value == 2 }
        // These go to the second connection, which was idle.
        let more = (20..<40).map(ask)
        try await eventually {
            try await holder.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()").count
                == 2
        }
        #expect(await database.giveBack())
        #expect(database.metrics.readConnections.value == 1 && database.metrics.lost.value == 0)
        _ = try await holder.write("SELECT pg_advisory_unlock_all()")
        await holder.close()
        for (number, read) in (reads + more).enumerated() { #expect(try await read.value == number) }
        await database.close()
    }

    @Test func `lets every loop try again at once when one has found the server`() async throws {
        let url = try await TestDatabase.empty()
        let share = ConnectionShare()
        let databases = try (0..<3).map { index in
            Database(
                loop: try Loop(index: index), url: url, settings: TestDatabase.settings, share: share, metrics: Metrics(),
                log: TestDatabase.silent)
        }
        for database in databases { await database.loseServer() }
        await databases[1].tryNow(.read)
        for database in databases {
            #expect(try await database.query("SELECT 1").count == 1)
            #expect(try await database.write("SELECT 1").count == 1)
        }
        for database in databases { await database.close() }
    }
}

extension Database {
    /// The state in an outage whose next attempt is an hour away.
    fileprivate func loseServer() {
        for kind in [DatabaseConnection.Kind.read, .write] {
            change(kind) { health in
                _ = health.outage.failed(at: loop.now, chance: 0)
                health.retry = loop.schedule(after: .seconds(3600)) {}
            }
        }
    }
}
