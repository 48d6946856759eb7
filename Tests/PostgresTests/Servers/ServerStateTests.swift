import Glibc
import Runtime
import TestKit
import Testing

@testable import Postgres

/// Calls to a server that is there but does not do what it is asked.
@Suite(.takesTurns) struct ServerStateTests {
    private func isUnavailable(_ error: PostgresError?) -> Bool {
        if case .unavailable? = error { true } else { false }
    }

    @Test func `guards its sessions, and keeps to what the URL asks of them`() async throws {
        var settings = TestDatabase.settings
        settings.statementTimeout = .seconds(77)
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        let guards: SQL = """
            SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'), current_setting('jit'),
                current_setting('transaction_read_only')
            """
        for (rows, isReadOnly) in [(try await database.query(guards), "on"), (try await database.write(guards), "off")] {
            var row = try #require(rows.first).reader()
            let values: [String] = [try row.next(), try row.next(), try row.next(), try row.next()]
            #expect(values == ["77s", "77s", "off", isReadOnly])
        }
        await database.close()
    }

    @Test(arguments: ["53100", "53200", "53300", "57P01", "57P03"])
    func `calls a server without room, or one that goes down, unavailable`(state: String) async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        let refusal = SQL(unsafe: "DO $$ BEGIN RAISE 'no room' USING ERRCODE = '\(state)'; END $$")
        await #expect(throws: PostgresError.unavailable("no room (\(state))")) { try await database.write(refusal) }
        await #expect(throws: PostgresError.unavailable("no room (\(state))")) {
            try await database.transaction { _ = try await $0.query(refusal) }
        }
        _ = try await database.write("SELECT 1")
        await database.close()
    }

    @Test func `leaves a server that takes no more writes, reads on, and comes back`() async throws {
        let cluster = try TestCluster.start()
        let superuser = try TestDatabase.open(cluster.url)
        var settings = TestDatabase.settings
        settings.patience = .milliseconds(300)
        let database = try TestDatabase.open(cluster.url, settings)
        try await eventually { (try? await database.write("CREATE TABLE IF NOT EXISTS t (a int)")) != nil }
        try await eventually { (try? await database.verifyTakesWrites()) != nil }
        try await setReadOnly("on", superuser)
        // A session learns of it at its next statement, or at the latest at the one after that.
        try await eventually {
            do throws(PostgresError) { try await database.verifyTakesWrites() } catch { return isUnavailable(error) }
            return false
        }
        for _ in 0..<3 {
            let error = await #expect(throws: PostgresError.self) { try await database.write("INSERT INTO t VALUES (1)") }
            #expect(isUnavailable(error))
        }
        #expect(try await database.query("SELECT a FROM t").isEmpty)
        try await setReadOnly("off", superuser)
        try await eventually { (try? await database.write("INSERT INTO t VALUES (2)")) != nil }
        #expect(try await database.query("SELECT a FROM t").count >= 1)
        await database.close()
        await superuser.close()
    }

    /// A separate `SET`, since the superuser's sessions have become read-only, too.
    private func setReadOnly(_ value: String, _ superuser: Database) async throws {
        _ = try await superuser.write("SET default_transaction_read_only = off")
        _ = try await superuser.write(SQL(unsafe: "ALTER SYSTEM SET default_transaction_read_only = \(value)"))
        _ = try await superuser.write("SELECT pg_reload_conf()")
    }

    @Test func `fails what waits for a server that has fallen silent, and goes on when it is back`() async throws {
        let cluster = try TestCluster.start()
        var settings = TestDatabase.settings
        settings.quiet = .milliseconds(500)
        settings.patience = .milliseconds(500)
        (settings.readConnections, settings.writeConnections) = (1, 1)
        let database = try TestDatabase.open(cluster.url, settings)
        try await eventually { (try? await database.write("CREATE TABLE IF NOT EXISTS t (a int)")) != nil }
        // More than once: what was given up must leave room for its replacement.
        for _ in 0..<2 {
            var processes: [pid_t] = []
            try await eventually {
                processes = (try? await self.processes(database)) ?? []
                return !processes.isEmpty
            }
            defer { for process in processes { kill(process, SIGCONT) } }
            for process in processes { kill(process, SIGSTOP) }
            // The limit of a statement is ten minutes here: these end because nothing arrives from the server.
            async let read: PostgresError? = failure { () async throws(PostgresError) in _ = try await database.query("SELECT a FROM t") }
            async let write: PostgresError? = failure { () async throws(PostgresError) in _ = try await database.write("SELECT 1") }
            #expect(isUnavailable(await read))
            #expect(isUnavailable(await write))
            for process in processes { kill(process, SIGCONT) }
            try await eventually { (try? await database.query("SELECT a FROM t")) != nil }
            try await eventually { (try? await database.write("INSERT INTO t VALUES (1)")) != nil }
        }
        await database.close()
    }

    /// The processes of the server and its sessions.
    private func processes(_ database: Database) async throws -> [pid_t] {
        let rows = try await database.query(
            "SELECT pid FROM pg_stat_activity UNION SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int")
        return try rows.map { row in pid_t(try row.value(as: Int.self)) }
    }

    private func failure(_ body: () async throws(PostgresError) -> Void) async -> PostgresError? {
        do throws(PostgresError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `waits for a slow statement while the server is there`() async throws {
        let url = try await TestDatabase.empty()
        // A machine that takes longer than `quiet` for a new connection looks like a server that is gone, so it gets another try with more
        // time.
        for quiet in [0.1, 1, 10] {
            var settings = TestDatabase.settings
            settings.quiet = .seconds(quiet)
            settings.patience = .seconds(600)
            let database = try TestDatabase.open(url, settings)
            _ = try await database.write("SELECT 1")
            let answer = try? await database.write("SELECT 7 FROM pg_sleep(\(SQL(unsafe: "\(quiet * 5)")))")
            await database.close()
            if let answer { return #expect(try answer[0].value(as: Int.self) == 7) }
        }
        Issue.record("a statement was given up each time")
    }

    @Test func `tells the difference of the clocks and the tightest limit on connections`() async throws {
        let url = try await TestDatabase.empty()
        let owner = try TestDatabase.open(url)
        let ahead = try await owner.startupFacts(Clock { Clock.system.now() + .seconds(3600) })
        #expect(ahead.clockDifference < .seconds(-3000) && ahead.clockDifference >= .seconds(-3600))
        #expect(try await owner.startupFacts(.system).limit == "max_connections less superuser_reserved_connections")
        let role = SQL(unsafe: "counted_\(UInt32.random(in: 0 ... .max))")
        _ = try await owner.write("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 4")
        var target = try ConnectionString(url)
        target["user"] = role.text
        let database = try TestDatabase.open(target.text)
        let facts = try await database.startupFacts(.system)
        #expect(facts.connections == 4 && facts.limit == "the role's connection limit")
        await database.close()
        _ = try await owner.write("DROP ROLE \(role)")
        await owner.close()
    }
}
