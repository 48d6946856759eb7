import Postgres
import Runtime
import TestKit
import Testing

/// Programs of two versions on one database.
@Suite(.takesTurns) struct CompatibilityTests {
    private static let first = "CREATE TABLE account (id bigint PRIMARY KEY)"
    private static let expands = "-- A name.\n-- compatible: 0001\nALTER TABLE account ADD name text"
    private static let contracts = "-- compatible: 0002\nALTER TABLE account DROP name"

    private let older: TestFolder
    private let newer: TestFolder
    private let url: Secret

    init() async throws {
        older = try TestFolder(["0001_accounts.sql": Self.first])
        newer = try TestFolder(["0001_accounts.sql": Self.first, "0002_names.sql": Self.expands])
        url = try await TestDatabase.empty()
        _ = try await Schema(folder: older.path).migrate(url: url)
    }

    private func program(knowing newest: Int) async throws -> Database {
        var settings = TestDatabase.settings
        settings.newestMigration = newest
        let database = try TestDatabase.open(url, settings)
        try await database.ping()
        return database
    }

    @Test func `goes on beside a migration that says so, and migrates nothing then`() async throws {
        let running = try await program(knowing: 1)
        #expect(try await Schema(folder: newer.path).migrate(url: url) == ["0002_names.sql"])
        try await Schema(folder: older.path).verify(running)
        #expect(try await Schema(folder: older.path).migrate(url: url) == [])
        await running.close()
    }

    @Test func `SEC-71 refuses a migration that would break a connected program, until that has ended`() async throws {
        _ = try await Schema(folder: newer.path).migrate(url: url)
        try newer.write("0003_more.sql", "-- compatible: 0001\nCREATE TABLE more ()")
        try newer.write("0004_no_names.sql", Self.contracts)
        let schema = try Schema(folder: newer.path)
        let running = [try await program(knowing: 1), try await program(knowing: 2)]
        await #expect(throws: MigrationError.inUse("0004_no_names.sql", by: 1)) { try await schema.migrate(url: url) }
        try await Schema(folder: older.path).verify(running[0])
        await running[0].close()
        // PostgreSQL ends the session when it reads that, which is later.
        let session: SQL = """
            SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE datname = current_database() AND locktype = 'advisory' AND objid = 1
            """
        try await eventually { try await running[1].query(session).isEmpty }
        #expect(try await schema.migrate(url: url) == ["0003_more.sql", "0004_no_names.sql"])
        await #expect(throws: MigrationError.ahead(["0004_no_names.sql"])) { try await Schema(folder: older.path).verify(running[1]) }
        await running[1].close()
    }

    @Test func `a program of another database stops none`() async throws {
        let running = try await program(knowing: 1)
        let other = try await TestDatabase.empty()
        try newer.write("0003_no_names.sql", Self.contracts)
        #expect(try await Schema(folder: newer.path).migrate(url: other).count == 3)
        await running.close()
    }

    @Test func `works on a database whose migrations say nothing of other programs`() async throws {
        let database = try TestDatabase.open(url)
        _ = try await database.write("ALTER TABLE schema_migrations DROP requires")
        try await Schema(folder: older.path).verify(database)
        await #expect(throws: MigrationError.behind(["0002_names.sql"])) { try await Schema(folder: newer.path).verify(database) }
        #expect(try await Schema(folder: newer.path).migrate(url: url) == ["0002_names.sql"])
        await database.close()
    }

    @Test(arguments: ["0003", "2", "0001x", ""])
    func `refuses the number of a later migration, and what is not a number`(number: String) throws {
        let folder = try TestFolder(["0002_a.sql": "-- compatible: \(number)\nSELECT 1"])
        #expect(throws: MigrationError.self) { try Schema(folder: folder.path) }
    }

    @Test func `runs statements outside a transaction, again from the first one after a failure`() async throws {
        try newer.write(
            "0003_index.sql",
            """
            -- outside a transaction
            -- compatible: 0001
            DROP INDEX CONCURRENTLY IF EXISTS account_name;
            -- The index.
            CREATE UNIQUE INDEX CONCURRENTLY account_name
                ON account (name);

            """)
        let database = try TestDatabase.open(url)
        _ = try await Schema(folder: older.path).migrate(url: url)
        try newer.write("0002_names.sql", Self.expands + ";\nINSERT INTO account VALUES (1, 'one'), (2, 'one')")
        let schema = try Schema(folder: newer.path)
        let failure = await #expect(throws: MigrationError.self) { try await schema.migrate(url: url) }
        #expect("\(String(describing: failure))".contains("0003_index.sql"))
        // What PostgreSQL leaves of it.
        #expect(try await database.query("SELECT 1 FROM pg_index WHERE NOT indisvalid").count == 1)
        _ = try await database.write("DELETE FROM account WHERE id = 2")
        #expect(try await schema.migrate(url: url) == ["0003_index.sql"])
        #expect(try await database.query("SELECT 1 FROM pg_index WHERE indexrelid = 'account_name'::regclass AND indisvalid").count == 1)
        await database.close()
    }

    @Test func `many may migrate at once while one makes an index`() async throws {
        try newer.write("0003_index.sql", "-- outside a transaction\nCREATE INDEX CONCURRENTLY account_name ON account (name);\n")
        let schema = try Schema(folder: newer.path)
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { try await schema.migrate(url: url) } }
            return try await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(applied.filter { !$0.isEmpty } == [["0002_names.sql", "0003_index.sql"]])
    }
}
