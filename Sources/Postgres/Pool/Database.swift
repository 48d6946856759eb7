import DequeModule
package import Logging
package import Runtime

/// PostgreSQL for one loop: a few connections that all reads share, and a pool of connections for writes.
///
/// - `query` is for statements that only read. The reads of one turn of the loop are sent together on a shared connection. The server
///   keeps these connections read-only, so a read whose connection breaks can be sent again on another one, at most
///   `DatabaseSettings.readConnections` times.
/// - `write` runs one or several statements in one implicit transaction and one round trip, and answers after the commit. It is never sent
///   twice: `.unavailable` may mean that it happened. Short writes that lock one row may share their commit.
/// - `transaction` is for steps that depend on one another's answers.
///
/// A statement is prepared once on each connection, by its text. Connections are opened when they are first needed, one for reads before
/// all others, and again with growing pauses while the database is down. Calls wait at most `DatabaseSettings.patience`, and no longer
/// than twice `DatabaseSettings.quiet` for a server that does not answer any more. Cancelling a task does not end its statement;
/// `statementTimeout` does. The statements themselves are in `Accounts`, the schema in `Schema`.
///
/// A call takes this path: `Database` chooses a `DatabaseConnection` (`WritePool`), its `Pipeline` decides what to send, and `Wire` sends it at
/// the end of the turn. Results come back to the `Pipeline`, which decides which call they answer.
package actor Database {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let target: ConnectionString?
    let settings: DatabaseSettings
    nonisolated let metrics: DatabaseMetrics
    let log: Logger

    var reads: [DatabaseConnection?]
    var openingReads = 0
    var waitingReads = Deque<Read>()
    var writes: [DatabaseConnection?]
    var pool: WritePool<WriteJob>
    var reading = ConnectionHealth()
    var writing = ConnectionHealth()
    let share: ConnectionShare
    /// Whether another loop needs one of the connections that are working.
    var owesConnection = false
    /// The time until which this loop opens no second connection, because it has given one to another loop.
    var holdsBackUntil: MonotonicTime?
    /// Whether connections for writes were dropped because their server takes no writes.
    var leftServer = false
    /// The position, among several hosts, at which connections begin.
    var turn = 0
    var patience: Timer?
    var willCarryOut = false
    var isClosed = false

    /// `url` is any text that libpq reads. Nothing is opened yet. With a `url` that libpq cannot read, every call fails.
    ///
    /// - Parameter share: shared by the databases of one process, so that loops can give connections to one another.
    package init(
        loop: Loop, url: Secret, settings: DatabaseSettings = DatabaseSettings(), share: ConnectionShare = ConnectionShare(),
        metrics: Metrics, log: Logger
    ) {
        self.loop = loop
        target = try? ConnectionString(url)
        self.settings = settings
        self.metrics = DatabaseMetrics(metrics, loop: settings.label(onLoop: loop.index))
        var log = log
        if let name = settings.poolName { log[metadataKey: "pool"] = "\(name)" }
        self.log = log
        reads = Array(repeating: nil, count: max(1, settings.readConnections))
        writes = Array(repeating: nil, count: max(1, settings.writeConnections))
        self.share = share
        pool = WritePool(
            connections: max(1, settings.writeConnections), room: settings.waiting, roomOfOneRow: settings.waitingForOneRow,
            together: settings.writesTogether)
        share.join(self)
    }

    isolated deinit { closeAll() }

    /// The rows of a statement that only reads; the server refuses anything else (state 25006).
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

    /// Runs statements in order in one round trip and commits them together: all or none. Returns the rows of each statement.
    ///
    /// - Parameter row: names the row for which others wait, in any encoding that tells rows apart. Writes and transactions that name the same row
    ///   run one after another, so that no more than one connection waits for it; `nil` for a write that names none.
    package func write(all statements: [SQL], oneAtATimeFor row: [UInt8]? = nil) async throws(PostgresError) -> [[Row]] {
        for sql in statements { if let fault = sql.fault { throw fault } }
        if statements.isEmpty { return [] }
        return try await withUnsafeContinuation { answer in
            add(.write(Write(statements: statements, answer: answer, since: loop.now, lock: row)))
        }.get()
    }

    /// Runs one statement, as `write(all:sharingCommitAs:)` does.
    package func write(_ sql: SQL, sharingCommitAs row: [UInt8]) async throws(PostgresError) -> [Row] {
        try await write(all: [sql], sharingCommitAs: row).first ?? []
    }

    /// Runs short statements and commits them together with other writes of this kind and durability that wait at the same time. A commit
    /// costs the server as much as a short statement, and the disk more.
    ///
    /// When one of them fails, all are rolled back, and each write runs again by itself, so that no call gets the error of another. Until
    /// the commit, the statements keep their locks while others run. So they may lock only one row that others want to lock, besides rows
    /// that they take with `SKIP LOCKED`. `row` names that row, in any encoding that tells rows apart; writes that name the same row run one
    /// after another. A write that sometimes locks more is not wrong: its batch may meet a lock, is given up within a second, and each of
    /// its writes runs by itself.
    package func write(
        all statements: [SQL], sharingCommitAs row: [UInt8], durability: Durability = .flushed
    ) async throws(PostgresError) -> [[Row]] {
        for sql in statements { if let fault = sql.fault { throw fault } }
        if statements.isEmpty { return [] }
        return try await withUnsafeContinuation { answer in
            var write = Write(statements: statements, answer: answer, since: loop.now)
            (write.lock, write.mayShare, write.durability) = (row, true, durability)
            add(.write(write))
        }.get()
    }

    /// Runs `body` between `BEGIN` and `COMMIT` on a connection of its own. When `body` throws, it rolls back and throws the same error.
    ///
    /// Meanwhile no other call can use the connection, so `body` must not wait for anything but the database.
    /// - Parameter row: as in `write(all:oneAtATimeFor:)`.
    package nonisolated func transaction<T>(
        oneAtATimeFor row: [UInt8]? = nil, _ body: (Transaction) async throws -> T
    ) async throws -> T {
        let transaction = try await begin(oneAtATimeFor: row)
        do {
            let value = try await body(transaction)
            try await transaction.commit()
            return value
        } catch {
            await transaction.rollBack()
            throw error
        }
    }

    private func begin(oneAtATimeFor row: [UInt8]?) async throws(PostgresError) -> Transaction {
        let connection = try await withUnsafeContinuation { answer in
            add(.lease(answer, lock: row))
        }.get()
        return Transaction(on: connection, of: self)
    }

    /// The number of round trips so far, for tests.
    package nonisolated var roundTrips: Int { metrics.syncs.value }

    /// Closes every connection. Calls that wait or run fail with `.unavailable`, and so does every later call.
    package func close() {
        closeAll()
    }
}
