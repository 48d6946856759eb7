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
        database.assumeIsolated { $0.release(connection) }
    }
}
