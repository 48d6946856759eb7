import Postgres
import Runtime
import TestKit
import Testing

@Suite(.takesTurns) struct SchemaTests {
    private let accounts = "-- People.\nCREATE TABLE account (id bigint PRIMARY KEY);\nINSERT INTO account VALUES (1);\n"
    private let names = "ALTER TABLE account ADD name text;"

    private func verify(_ folder: TestFolder, _ url: Secret) async throws {
        let database = try TestDatabase.open(url)
        defer { Task { await database.close() } }
        try await Schema(folder: folder.path).verify(database)
    }

    @Test func `applies each file once, in order, and records it`() async throws {
        let folder = try TestFolder(["0002_names.sql": names, "0001_accounts.sql": accounts, "README.md": "not SQL"])
        let url = try await TestDatabase.empty()
        await #expect(throws: MigrationError.behind(["0001_accounts.sql", "0002_names.sql"])) { try await verify(folder, url) }
        let schema = try Schema(folder: folder.path)
        #expect(try await schema.migrate(url: url) == ["0001_accounts.sql", "0002_names.sql"])
        #expect(try await schema.migrate(url: url) == [])
        try await verify(folder, url)
        try folder.write("0003_more.sql", "SELECT 1")
        await #expect(throws: MigrationError.behind(["0003_more.sql"])) { try await verify(folder, url) }
        #expect(try await Schema(folder: folder.path).migrate(url: url) == ["0003_more.sql"])
        let database = try TestDatabase.open(url)
        let rows = try await database.query("SELECT name, sha256, applied_at FROM schema_migrations ORDER BY number")
        #expect(try rows.map { row throws in try row.value(as: String.self) } == ["0001_accounts.sql", "0002_names.sql", "0003_more.sql"])
        var last = rows[2].reader()
        let (_, sha256, appliedAt): (String, String, Instant) = (try last.next(), try last.next(), try last.next())
        // printf 'SELECT 1' | sha256sum
        #expect(sha256 == "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5")
        #expect(appliedAt.seconds > 1_700_000_000)
        await database.close()
    }

    @Test func `keeps nothing of a file that fails, and everything of those before it`() async throws {
        let folder = try TestFolder(["0001_accounts.sql": accounts, "0002_bad.sql": "CREATE TABLE half ();\n\nSELECT nothing;"])
        let url = try await TestDatabase.empty()
        let failure = MigrationError.failed("0002_bad.sql:3: column \"nothing\" does not exist (42703)")
        await #expect(throws: failure) { try await Schema(folder: folder.path).migrate(url: url) }
        await #expect(throws: MigrationError.behind(["0002_bad.sql"])) { try await verify(folder, url) }
        let database = try TestDatabase.open(url)
        #expect(try await database.query("SELECT to_regclass('half')::text")[0].value(as: String?.self) == nil)
        #expect(try await database.query("SELECT id FROM account").count == 1)
        await database.close()
    }

    @Test func `lets many migrate at once`() async throws {
        let folder = try TestFolder(["0001_accounts.sql": accounts, "0002_wait.sql": "SELECT pg_sleep(0.05)", "0003_names.sql": names])
        let url = try await TestDatabase.empty()
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 { group.addTask { try await Schema(folder: folder.path).migrate(url: url) } }
            return try await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(applied.filter { !$0.isEmpty } == [["0001_accounts.sql", "0002_wait.sql", "0003_names.sql"]])
        try await verify(folder, url)
    }

    @Test func `says that a file was edited or renamed after it was applied`() async throws {
        let folder = try TestFolder(["0001_accounts.sql": accounts])
        let url = try await TestDatabase.empty()
        let schema = try Schema(folder: folder.path)
        _ = try await schema.migrate(url: url)
        try folder.write("0001_accounts.sql", accounts + " ")
        let edited = MigrationError.edited(file: "0001_accounts.sql", applied: "0001_accounts.sql")
        await #expect(throws: edited) { try await verify(folder, url) }
        await #expect(throws: edited) { try await Schema(folder: folder.path).migrate(url: url) }
        folder.remove("0001_accounts.sql")
        try folder.write("0001_people.sql", accounts)
        await #expect(throws: MigrationError.edited(file: "0001_people.sql", applied: "0001_accounts.sql")) {
            try await verify(folder, url)
        }
    }

    @Test func `says that the database is ahead, or a file comes too late`() async throws {
        let folder = try TestFolder(["0001_accounts.sql": accounts, "0003_names.sql": names])
        let url = try await TestDatabase.empty()
        let schema = try Schema(folder: folder.path)
        _ = try await schema.migrate(url: url)
        try folder.write("0002_between.sql", "SELECT 1")
        await #expect(throws: MigrationError.late("0002_between.sql", newest: "0003_names.sql")) {
            try await Schema(folder: folder.path).migrate(url: url)
        }
        folder.remove("0002_between.sql")
        folder.remove("0003_names.sql")
        await #expect(throws: MigrationError.ahead(["0003_names.sql"])) { try await verify(folder, url) }
    }

    @Test func `refuses a file that ends its transaction`() async throws {
        let folder = try TestFolder(["0001_accounts.sql": accounts + "COMMIT;"])
        let url = try await TestDatabase.empty()
        await #expect(
            throws: MigrationError.failed("0001_accounts.sql ends the transaction it runs in; leave BEGIN, COMMIT and ROLLBACK out")
        ) {
            try await Schema(folder: folder.path).migrate(url: url)
        }
    }

    @Test(arguments: [
        (["1_short.sql"], "1_short.sql: name it NNNN_name.sql, with four digits"),
        (["0001.sql"], "0001.sql: name it NNNN_name.sql, with four digits"),
        (["00١1_digits.sql"], "00١1_digits.sql: name it NNNN_name.sql, with four digits"),
        (["0001_a.sql", "0001_b.sql"], "0001_a.sql and 0001_b.sql have the same number"),
    ])
    func `refuses a folder whose names are wrong`(files: [String], reason: String) async throws {
        let folder = try TestFolder(Dictionary(uniqueKeysWithValues: files.map { ($0, "SELECT 1") }))
        #expect(throws: MigrationError.folder(reason)) { try Schema(folder: folder.path) }
    }

    @Test func `says which folder can't be read and which database can't be reached`() async throws {
        await #expect(throws: MigrationError.folder("cannot read /nowhere: No such file or directory")) {
            try await Schema(folder: "/nowhere").migrate(url: Secret(""))
        }
        let empty = try TestFolder(["README.md": "not SQL"])
        #expect(throws: MigrationError.folder("\(empty.path) has no migration in it")) { try Schema(folder: empty.path) }
        let folder = try TestFolder(["0001_accounts.sql": accounts])
        let error = await #expect(throws: MigrationError.self) {
            try await Schema(folder: folder.path).migrate(url: Secret("host=/nowhere user=x dbname=x"))
        }
        #expect("\(String(describing: error))".contains("/nowhere"))
    }

    @Test func `tells what to do about each error`() {
        #expect("\(MigrationError.behind(["0001_a.sql"]))" == "the database is behind by 1 (0001_a.sql): run `gatehouse migrate`")
        #expect(
            "\(MigrationError.ahead(["0009_z.sql"]))"
                == "the database is ahead of this binary by 1 (0009_z.sql): run the binary that has them")
        #expect(
            "\(MigrationError.edited(file: "a", applied: "a"))"
                == "the database's a is not the one of this binary: install the binary that migrated the database, or restore the file")
        #expect(
            "\(MigrationError.edited(file: "a", applied: "b"))"
                == "a was applied as b: give it back its name; a change needs a file of its own")
        #expect("\(MigrationError.late("a", newest: "b"))" == "a is numbered below b, which is applied already: give it the next number")
    }
}
