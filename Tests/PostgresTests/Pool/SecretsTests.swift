import Postgres
import Runtime
import TestKit
import Testing

@Suite struct PostgresSecretsTests {
    @Test func `SEC-21: errors never carry a bound value`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        _ = try await database.write(all: [
            "CREATE TABLE t (token text PRIMARY KEY, CONSTRAINT lower CHECK (token = lower(token)))",
            "CREATE FUNCTION shout(text) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION 'no %', $1; END $f$",
            "INSERT INTO t VALUES ('hunter2')",
        ])
        let value = "hunter2"
        let upper = "HUNTER2"
        let statements: [SQL] = [
            "INSERT INTO t VALUES (\(value))", "INSERT INTO t VALUES (\(upper))", "SELECT \(value)::int", "SELECT \(value)::jsonb",
            "SELECT \(value)::uuid", "SELECT \(value)::timestamptz", "SELECT shout(\(value))", "SELECT \(value)::regclass",
            "SELECT nothing FROM t WHERE token = \(value)", "SELECT \(value) ~ '('", "SELECT set_config('work_mem', \(value), true)",
            "SELECT \(value)::bytea::text::inet", "SELECT \("\(value)\u{0}")", "SELECT to_date(\(value), 'YYYY')", "SELECT \(value)::bool",
            "SELECT current_setting(\(value))", "SELECT nextval(\(value))", "SELECT \(value)::regrole", "SELECT \(value)::pg_lsn",
        ]
        for sql in statements {
            let error = await #expect(throws: PostgresError.self) { try await database.write(sql) }
            let text = "\(String(describing: error)) \(String(reflecting: error))".lowercased()
            #expect(!text.contains("hunter2"), "\(sql.text)")
        }
        await database.close()
    }

    @Test func `SEC-21: a database URL that can't be read isn't quoted`() async throws {
        let database = try TestDatabase.open(Secret("postgresql://user:hunter2@[::1/db"))
        let error = await #expect(throws: PostgresError.self) { try await database.ping() }
        #expect(!String(reflecting: error).contains("hunter2"))
        let target = try ConnectionString(Secret("postgresql://user:hunter2@/db"))
        var dumped = ""
        dump(target, to: &dumped)
        #expect(!"\(target) \(String(reflecting: target)) \(dumped)".contains("hunter2"))
        await database.close()
    }
}
