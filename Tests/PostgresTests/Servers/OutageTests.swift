import Glibc
import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite(.takesTurns) struct ConnectionLossTests {
    private let metrics = Metrics()

    private func open(_ url: Secret, _ settings: DatabaseSettings = TestDatabase.settings) throws -> Database {
        Database(loop: try Loop(index: 0), url: url, settings: settings, metrics: metrics, log: TestDatabase.silent)
    }

    /// Ends every connection to the database of `url` except the caller's own.
    private func terminateAll(_ url: Secret) async throws {
        let killer = try TestDatabase.open(url)
        _ = try await killer.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        await killer.close()
    }

    @Test func `sends reads again whose connection dies`() async throws {
        let url = try await TestDatabase.empty()
        let database = try open(url)
        let holder = try TestDatabase.open(url)
        _ = try await holder.write("SELECT 1 FROM pg_advisory_lock(1)")
        let reads = (0..<50).map { number in
            Task { try await database.query("SELECT \(number) FROM pg_advisory_xact_lock_shared(1)")[0].value(as: Int.self) }
        }
        try await eventually {
            try await !database.write("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()")
                .isEmpty
        }
        // The lock ends with the connection that holds it.
        try await terminateAll(url)
        for (number, read) in reads.enumerated() { #expect(try await read.value == number) }
        #expect(metrics.text().contains("gatehouse_database_refused_total{loop=\"0\"} 0"))
        await database.close()
        await holder.close()
    }

    @Test func `fails a write whose connection dies, and makes the next on another`() async throws {
        let url = try await TestDatabase.empty()
        let database = try open(url)
        _ = try await database.write("CREATE TABLE t (a int)")
        let write = Task { try await database.write("INSERT INTO t SELECT 1 FROM pg_sleep(600)") }
        try await eventually {
            try await !database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()")
                .isEmpty
        }
        try await terminateAll(url)
        let error = await #expect(throws: PostgresError.self) { try await write.value }
        #expect("\(String(describing: error))".contains("57P01"))
        // Wait until every idle connection is known to be lost, so that the statements that follow do not meet one.
        try await eventually { metrics.text().contains("gatehouse_database_connections{loop=\"0\",kind=\"write\"} 0") }
        for _ in 0..<20 { _ = try await database.write("INSERT INTO t VALUES (2)") }
        #expect(try await database.query("SELECT min(a) FROM t")[0].value(as: Int.self) == 2)
        await database.close()
    }

    @Test func `fails a transaction whose connection dies, and no other`() async throws {
        let url = try await TestDatabase.empty()
        let database = try open(url)
        _ = try await database.write("CREATE TABLE t (a int)")
        await #expect(throws: PostgresError.self) {
            try await database.transaction { transaction in
                let own: Int = try await transaction.query("INSERT INTO t VALUES (1) RETURNING pg_backend_pid()")[0].value()
                _ = try await database.write("SELECT pg_terminate_backend(\(Int32(own)))")
                _ = try await transaction.query("INSERT INTO t VALUES (2)")
            }
        }
        let count: Int = try await database.transaction { try await $0.query("SELECT count(*) FROM t")[0].value() }
        #expect(count == 0)
        await database.close()
    }

    @Test func `takes the connection back from a transaction that dawdles`() async throws {
        var settings = TestDatabase.settings
        settings.writeConnections = 1
        let database = try open(try await TestDatabase.empty(), settings)
        await #expect(throws: PostgresError.unavailable("the connection was lost before")) {
            try await database.transaction { transaction in
                let own: Int = try await transaction.query("SELECT pg_backend_pid()")[0].value()
                _ = try await transaction.query("SET idle_in_transaction_session_timeout = 100")
                try await eventually { try await database.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(own)").isEmpty }
                try await eventually { metrics.text().contains("gatehouse_database_connections{loop=\"0\",kind=\"write\"} 0") }
                _ = try await transaction.query("SELECT 1")
            }
        }
        _ = try await database.write("SELECT 1")
        await database.close()
    }

    @Test func `makes do with fewer connections than it wants`() async throws {
        let url = try await TestDatabase.empty()
        let owner = try TestDatabase.open(url)
        let role = SQL(unsafe: "limited_\(UInt32.random(in: 0 ... .max))")
        _ = try await owner.write(all: [
            "CREATE TABLE t (a int)", "CREATE ROLE \(role) LOGIN CONNECTION LIMIT 3", "GRANT ALL ON t TO \(role)",
        ])
        var target = try ConnectionString(url)
        target["user"] = role.text
        let database = try open(target.text)
        try await database.ping()
        try await withThrowingTaskGroup { group in
            // Beside the connection for reads there is room for two, so one of the three is refused while the others wait for that.
            for number in 0..<3 {
                group.addTask {
                    try await database.transaction { transaction in
                        _ = try await transaction.query("INSERT INTO t VALUES (\(Int32(number)))")
                        try await eventually {
                            !metrics.text().contains("gatehouse_database_connections_lost_total{loop=\"0\"} 0")
                        }
                    }
                }
            }
            for _ in 0..<100 { group.addTask { _ = try await database.query("SELECT a FROM t") } }
            try await group.waitForAll()
            for number in 3..<100 { group.addTask { _ = try await database.write("INSERT INTO t VALUES (\(Int32(number)))") } }
            try await group.waitForAll()
        }
        #expect(try await database.query("SELECT count(*) FROM t")[0].value(as: Int.self) == 100)
        await database.close()
        _ = try await owner.write(all: ["DROP OWNED BY \(role)", "DROP ROLE \(role)"])
        await owner.close()
    }

    @Test func `gives up a connection that falls silent, and reads on another`() async throws {
        let url = try await TestDatabase.empty()
        var settings = TestDatabase.settings
        settings.readConnections = 1
        settings.statementTimeout = .milliseconds(200)
        settings.silence = .milliseconds(100)
        settings.writeConnections = 1
        let database = try open(url, settings)
        let backend = try await untilAnswered { try await database.query("SELECT pg_backend_pid()") }
        try #require(kill(pid_t(backend), SIGSTOP) == 0)
        #expect(try await untilAnswered { try await database.query("SELECT pg_backend_pid()") } != backend)
        let frozen = try await untilAnswered { try await database.write("SELECT pg_backend_pid()") }
        try #require(kill(pid_t(frozen), SIGSTOP) == 0)
        await #expect(throws: PostgresError.unavailable("the connection was lost: no answer within 0.3 seconds")) {
            try await database.write("SELECT 1")
        }
        _ = try await untilAnswered { try await database.write("SELECT pg_backend_pid()") }
        kill(pid_t(backend), SIGCONT)
        kill(pid_t(frozen), SIGCONT)
        await database.close()
    }

    /// The number that a statement returns, repeated until it answers: a slow machine may exceed these short time limits.
    private func untilAnswered(_ statement: () async throws -> [Row]) async throws -> Int {
        var number: Int?
        try await eventually {
            number = try? await statement().first?.value()
            return number != nil
        }
        return try #require(number)
    }
}

@Suite(.takesTurns) struct OutageTests {
    @Test func `fails while the server is away and goes on by itself when it is back`() async throws {
        let cluster = try TestCluster.start()
        var settings = TestDatabase.settings
        settings.patience = .milliseconds(200)
        let database = try TestDatabase.open(cluster.url, settings)
        try await untilAnswered { try await database.ping() }
        try await untilAnswered { _ = try await database.write("CREATE TABLE IF NOT EXISTS t (a int)") }
        for round in 1...2 {
            try await cluster.stop()
            let error = await #expect(throws: PostgresError.self) { for _ in 0..<1000 { try await database.ping() } }
            #expect("\(String(describing: error))".contains("database unavailable"))
            await #expect(throws: PostgresError.self) { for _ in 0..<1000 { _ = try await database.write("INSERT INTO t VALUES (0)") } }
            try await cluster.restart()
            try await untilAnswered { try await database.ping() }
            try await untilAnswered { _ = try await database.write("INSERT INTO t VALUES (\(round))") }
            try await untilAnswered { _ = try await database.transaction { try await $0.query("INSERT INTO t VALUES (\(round))") } }
        }
        await database.close()
    }

    private func untilAnswered(_ body: () async throws -> Void) async throws {
        try await eventually {
            do { try await body() } catch { return false }
            return true
        }
    }

    /// Asks until the refusal contains `reason`. Before the first attempt to connect has ended, a call only reports how long it waited.
    private func untilRefused(by database: Database, _ reason: String) async throws {
        try await eventually {
            let error = await #expect(throws: PostgresError.self) { try await database.ping() }
            return "\(String(describing: error))".contains(reason)
        }
    }

    @Test func `gives the reason why it is not connected`() async throws {
        var settings = DatabaseSettings()
        settings.patience = .milliseconds(100)
        let url = try ConnectionString(try await TestDatabase.empty()).database("no_such_database").text
        let metrics = Metrics()
        let database = Database(loop: try Loop(index: 0), url: url, settings: settings, metrics: metrics, log: TestDatabase.silent)
        try await untilRefused(by: database, "database \"no_such_database\" does not exist")
        // The last of these meets an outage that is older than any call may wait, and must not wait.
        for _ in 0..<4 { await #expect(throws: PostgresError.self) { try await database.write("SELECT 1") } }
        #expect(!metrics.text().contains("gatehouse_database_refused_total{loop=\"0\"} 0"))
        await database.close()
        let nowhere = try TestDatabase.open(Secret("postgresql://127.0.0.1:1/x?user=y"), settings)
        try await untilRefused(by: nowhere, "Connection refused")
        await nowhere.close()
        let nameless = try TestDatabase.open(Secret("postgresql://name.invalid/x?user=y"), settings)
        await #expect(throws: PostgresError.self) { try await nameless.ping() }
        await nameless.close()
    }

    @Test func `gives up a server that accepts and says nothing`() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port =
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Bool in
                    bind(listener, address, length) == 0 && listen(listener, 5) == 0 && getsockname(listener, address, &length) == 0
                }
            } ? UInt16(bigEndian: address.sin_port) : 0
        try #require(port > 0)
        var settings = DatabaseSettings()
        settings.connectTimeout = .milliseconds(100)
        settings.patience = .milliseconds(200)
        let database = try TestDatabase.open(Secret("postgresql://localhost:\(port)/x?user=y&sslmode=disable"), settings)
        try await untilRefused(by: database, "no connection within 0.1 seconds")
        await database.close()
    }

    @Test func `tries again with growing pauses that differ by chance`() {
        var outage = Outage()
        let start = MonotonicTime.read()
        #expect(!outage.isUnderWay && !outage.isLonger(than: .zero, at: start))
        let delays = [0, 1, 0.5, 0, 0, 0, 0, 1].map { outage.failed(at: start, chance: $0).microseconds }
        #expect(delays == [50_000, 200_000, 300_000, 400_000, 800_000, 1_600_000, 2_500_000, 5_000_000])
        #expect(!outage.isLonger(than: .seconds(2), at: start + .seconds(1)))
        #expect(outage.isLonger(than: .seconds(2), at: start + .seconds(2)))
        outage.ended()
        #expect(!outage.isUnderWay)
        let first = outage.failed(at: start, chance: 0)
        #expect(first == .milliseconds(50))
    }
}
