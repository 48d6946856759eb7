/// A running transaction on a connection of its own; `Database.transaction` begins and ends it.
///
/// After an error it accepts no more statements, and it is rolled back even if the body catches the error.
package actor Transaction {
    private enum State {
        case fresh
        case begun
        case failed(PostgresError)
        case over
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { connection.loop.asUnownedSerialExecutor() }
    private nonisolated let connection: DatabaseConnection
    private let database: Database
    private var state = State.fresh

    init(on connection: DatabaseConnection, of database: Database) {
        self.connection = connection
        self.database = database
    }

    /// Runs one statement.
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] { try await query(all: [sql]).last ?? [] }

    /// Runs statements in order in one round trip, in which the first ones of a transaction also begin it. Returns the rows of each.
    package func query(all statements: [SQL]) async throws(PostgresError) -> [[Row]] {
        switch state {
        case .over: throw .unavailable("the transaction is over")
        case .failed(let error): throw error
        case .fresh, .begun: break
        }
        for sql in statements { if let fault = sql.fault { throw fail(fault) } }
        let beginning: [SQL] = if case .fresh = state { ["BEGIN"] } else { [] }
        state = .begun
        do {
            return Array(try await connection.run(beginning + statements).dropFirst(beginning.count))
        } catch {
            throw fail(error)
        }
    }

    /// Copies rows into a table by `COPY … (…) FROM STDIN BINARY`; texts and integers among the statement's values become literals.
    package func copy(_ rows: CopyRows, _ sql: SQL) async throws(PostgresError) {
        try await perform { (connection) throws(PostgresError) in
            if rows.holdNUL { throw PostgresError.sql(state: "22021", message: "a text holds U+0000, which PostgreSQL cannot store") }
            try await connection.copy(rows, by: try sql.textWithLiterals())
        }
    }

    /// Starts `COPY (SELECT …) TO STDOUT BINARY`, whose rows `nextCopied` then gives until there are no more. It may take any time.
    package func copyOut(_ sql: SQL) async throws(PostgresError) {
        _ = try await query("SELECT set_config('statement_timeout', '0', true)")
        try await perform { (connection) throws(PostgresError) in try await connection.copyOut(by: try sql.textWithLiterals()) }
    }

    /// The next rows; none at the end. The server waits while the caller does something with them.
    package func nextCopied() async throws(PostgresError) -> [CopiedRow] {
        try await perform { (connection) throws(PostgresError) in try await connection.nextCopied() }
    }

    private func perform<Value: Sendable>(
        _ step: (DatabaseConnection) async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        switch state {
        case .over: throw .unavailable("the transaction is over")
        case .failed(let error): throw error
        case .fresh: _ = try await query("SELECT 1")
        case .begun: break
        }
        do throws(PostgresError) { return try await step(connection) } catch { throw fail(error) }
    }

    private func fail(_ error: PostgresError) -> PostgresError {
        if case .over = state {} else { state = .failed(error) }
        return error
    }

    /// Commits; returns only when the server has answered.
    func commit() async throws(PostgresError) {
        switch state {
        case .over: return
        case .failed(let error): throw error
        case .fresh: end()
        case .begun:
            state = .over
            defer { end() }
            _ = try await connection.run(["COMMIT"])
        }
    }

    /// Rolls back, unless it is committed already.
    func rollBack() async {
        switch state {
        case .over: return
        case .fresh: end()
        case .begun, .failed:
            state = .over
            _ = try? await connection.run(["ROLLBACK"])
            end()
        }
    }

    private func end() {
        state = .over
        connection.assumeIsolated { $0.endCopy() }
        database.assumeIsolated { $0.release(connection) }
    }
}
