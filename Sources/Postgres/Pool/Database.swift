import DequeModule
package import Logging
package import Runtime

/// PostgreSQL for one loop: a few connections that every read shares, and a pool of connections for writes.
///
/// - `query` is for statements that only read. Those of one turn of the loop travel together on a shared connection; the server holds
///   these connections read-only, so a read whose connection dies is sent again on another, at
///   most `DatabaseSettings.readConnections` times.
/// - `write` is one statement, or several, in one implicit transaction and one round trip, answered after the commit. It isn't sent
///   twice: `.unavailable` may mean that it happened. Short ones that lock one row may share their commit.
/// - `transaction` is for steps that depend on one another's answers.
///
/// Statements are prepared once a connection, by their text. Connections are opened when they are first needed, one for reads before all
/// others, and again with growing pauses while the database is down; calls wait at most `DatabaseSettings.patience`, and no longer than
/// twice `DatabaseSettings.quiet` for a server that has fallen silent. Cancelling a task doesn't cut its statement short:
/// that ends by `statementTimeout`. What this leaves to others: which statements there are (`Accounts`), and the schema (`Schema`).
///
/// The path of a call: `Database` picks a `Connection` (`WritePool`) → its `Pipeline` says what to send → `Wire` sends it at the end of
/// the turn → results come back to the `Pipeline`, which says whom they answer.
package actor Database {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let target: ConnectionString?
    let settings: DatabaseSettings
    nonisolated let metrics: DatabaseMetrics
    let log: Logger

    var reads: [Connection?]
    var openingReads = 0
    var waitingReads = Deque<Read>()
    var writes: [Connection?]
    var pool: WritePool<WriteJob>
    var reading = Reach()
    var writing = Reach()
    let share: ConnectionShare
    /// Whether another loop needs one of the connections that are at work.
    var owesConnection = false
    /// Until when this loop opens no second connection, having given one to another loop.
    var holdsBackUntil: MonotonicTime?
    /// Whether connections for writes were dropped since their server takes none.
    var leftServer = false
    /// Which of several hosts connections begin with.
    var turn = 0
    var patience: Timer?
    var willCarryOut = false
    var isClosed = false

    /// `url` is anything libpq reads. Nothing is opened yet; a `url` that libpq can't read makes every call fail.
    ///
    /// - Parameter share: Shared by the databases of one process, so that loops can give connections to one another.
    package init(
        loop: Loop, url: Secret, settings: DatabaseSettings = DatabaseSettings(), share: ConnectionShare = ConnectionShare(),
        metrics: Metrics, log: Logger
    ) {
        self.loop = loop
        target = try? ConnectionString(url)
        self.settings = settings
        self.metrics = DatabaseMetrics(metrics, loop: loop.index)
        self.log = log
        reads = Array(repeating: nil, count: max(1, settings.readConnections))
        writes = Array(repeating: nil, count: max(1, settings.writeConnections))
        self.share = share
        pool = WritePool(connections: max(1, settings.writeConnections), room: settings.waiting, together: settings.writesTogether)
        share.join(self)
    }

    isolated deinit { closeAll() }

    /// The rows of a statement that only reads; anything else is refused by the server (state 25006).
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        if let fault = sql.fault { throw fault }
        return try await withUnsafeContinuation { answer in
            place(Read(sql: sql, answer: answer, since: loop.now))
        }.get()
    }

    /// Runs one statement and commits it; the rows are those of `RETURNING`.
    package func write(_ sql: SQL) async throws(PostgresError) -> [Row] {
        try await write(all: [sql]).first ?? []
    }

    /// Runs statements in order in one round trip and commits them together: all or none. The rows are by statement.
    package func write(all statements: [SQL]) async throws(PostgresError) -> [[Row]] {
        for sql in statements { if let fault = sql.fault { throw fault } }
        if statements.isEmpty { return [] }
        return try await withUnsafeContinuation { answer in
            add(.write(Write(statements: statements, answer: answer, since: loop.now)))
        }.get()
    }

    /// Runs one statement and commits it together with other writes of this kind that wait at the same time: a commit costs the server as
    /// much as a short statement, and the disk more.
    ///
    /// When one of them fails, all were undone, and each runs again by itself, so nobody meets another's error. Until the commit the
    /// statement keeps its locks while others run. So it may lock one row only, which `row` names in any encoding that tells rows apart,
    /// besides rows that it takes with `SKIP LOCKED`; writes that name the same row follow one another.
    package func write(_ sql: SQL, sharingCommitAs row: [UInt8]) async throws(PostgresError) -> [Row] {
        if let fault = sql.fault { throw fault }
        return try await withUnsafeContinuation { answer in
            add(.write(Write(statements: [sql], answer: answer, since: loop.now, lock: row, mayShare: true)))
        }.get().first ?? []
    }

    /// Runs `body` between `BEGIN` and `COMMIT` on a connection of its own; rolls back when it throws, and then throws the same.
    ///
    /// The connection is taken from everyone else meanwhile: don't wait in `body` for anything but the database.
    package nonisolated func transaction<T>(_ body: (Transaction) async throws -> T) async throws -> T {
        let transaction = try await begin()
        do {
            let value = try await body(transaction)
            try await transaction.commit()
            return value
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    private func begin() async throws(PostgresError) -> Transaction {
        let connection = try await withUnsafeContinuation { answer in
            add(.lease(answer))
        }.get()
        return Transaction(on: connection, of: self)
    }

    /// Round trips so far: what a test holds a design to.
    package nonisolated var roundTrips: Int { metrics.syncs.value }

    /// Closes every connection; whatever still waits or runs fails with `.unavailable`, and so does every later call.
    package func close() {
        closeAll()
    }
}
