import CPostgres
import Glibc
import Runtime

/// A blocking connection for the migrator, which runs whole files as they are.
struct MigrationSession: ~Copyable {
    private let raw: OpaquePointer

    /// Any number that no other program locks in the same database: "gatehous" in ASCII.
    private static let lockKey = "7449363237540164979"

    init(_ url: Secret) throws(MigrationError) {
        var target: ConnectionString
        do throws(PostgresError) { target = try ConnectionString(url) } catch { throw .database(error) }
        target["client_encoding"] = "UTF8"
        target.requireWrites()
        target.setDefault("fallback_application_name", "gatehouse migrate")
        // For each host: when one never answers, libpq tries the next.
        target.setDefault("connect_timeout", "5")
        let raw = withCStrings(target.keywords.map(\.name)) { names in
            withCStrings(target.keywords.map(\.value)) { values in PQconnectdbParams(names, values, 0) }
        }
        guard let raw else { throw .database(.unavailable("out of memory")) }
        guard PQstatus(raw) == CONNECTION_OK else {
            defer { PQfinish(raw) }
            throw .database(.unavailable(Self.trimmed(PQerrorMessage(raw))))
        }
        self.raw = raw
        _ = PQsetNoticeReceiver(raw, { _, _ in }, nil)
    }

    deinit { PQfinish(raw) }

    /// Waits until no other process migrates, for at most five minutes; the lock ends with the connection.
    ///
    /// It asks again and again, since a statement that waits would hold up `CREATE INDEX CONCURRENTLY` in the process that it waits for.
    func lock() throws(MigrationError) {
        var attempts = 1500
        while try !run("SELECT pg_try_advisory_lock(\(Self.lockKey))", for: "lock").withCell(0, 0, String.text).hasPrefix("t") {
            attempts -= 1
            guard attempts > 0 else { throw .failed("another process migrates and does not finish") }
            usleep(200_000)
        }
        // A migration that cannot get its tables must not block the statements that queue behind it.
        try run("SET lock_timeout = '10s'", for: "lock")
        try run(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
            ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS requires integer
            """, for: "schema_migrations")
    }

    /// The newest migration that the oldest connected program knows; `nil` when none is connected.
    func oldestProgram() throws(MigrationError) -> Int? {
        let result = try run(
            """
            SELECT coalesce(min(objid::bigint)::text, '') FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 2 AND classid = \(DatabaseSettings.programs)
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """, for: "pg_locks")
        return Int(result.withCell(0, 0, String.text))
    }

    func applied() throws(MigrationError) -> [AppliedMigration] {
        let result = try run("\(AppliedMigration.selection)", for: "schema_migrations")
        return (0..<result.rows).map { row in
            let cells = (0..<Int32(4)).map { result.withCell(row, $0, String.text) }
            return AppliedMigration(number: Int(cells[0]) ?? 0, name: cells[1], sha256: cells[2], requires: Int(cells[3]) ?? 0)
        }
    }

    func apply(_ migration: Migration) throws(MigrationError) {
        guard migration.isTransactional else {
            for statement in migration.statements { try run(statement, for: migration.name) }
            try run(record(of: migration), for: migration.name)
            return
        }
        try run("BEGIN", for: migration.name)
        try run(migration.text, for: migration.name)
        guard PQtransactionStatus(raw) == PQTRANS_INTRANS else {
            throw .failed("\(migration.name) ends the transaction it runs in; leave BEGIN, COMMIT and ROLLBACK out")
        }
        try run(record(of: migration), for: migration.name)
        try run("COMMIT", for: migration.name)
    }

    private func record(of migration: Migration) -> String {
        // The form of the name is checked, and its quotes are doubled.
        let name = migration.name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        return """
            INSERT INTO schema_migrations (number, name, sha256, requires)
            VALUES (\(migration.number), '\(name)', '\(migration.sha256)', \(migration.requires))
            """
    }

    /// Runs one or more statements. An error ends the session, and with it the transaction.
    @discardableResult
    private func run(_ text: String, for name: String) throws(MigrationError) -> ResultSet {
        guard let result = PQexec(raw, text) else { throw .database(.unavailable(Self.trimmed(PQerrorMessage(raw)))) }
        let answer = ResultSet(result)
        switch answer.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return answer
        case PGRES_FATAL_ERROR:
            guard let error = answer.serverError else { throw .database(.unavailable(Self.trimmed(PQerrorMessage(raw)))) }
            let line = answer.errorPosition.map { ":\(text.unicodeScalars.prefix($0 - 1).count { $0 == "\n" } + 1)" } ?? ""
            throw .failed("\(name)\(line): \(error.message) (\(error.state))")
        default:
            throw .failed("\(name): COPY is not allowed in a migration")
        }
    }

    private static func trimmed(_ text: UnsafePointer<CChar>?) -> String {
        (text.map { String(cString: $0) } ?? "").split(separator: "\n").joined(separator: "; ")
    }
}
