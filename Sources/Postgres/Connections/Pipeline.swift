import DequeModule

/// The state of one pipelined connection: what it has sent and which answers it awaits. This is libpq's pipeline mode as a value without
/// I/O.
///
/// The connection submits reads and writes, sends each `next()` command until there is none, and gives each result to `receive`, which
/// returns what to do with it. PostgreSQL answers in order; after an error it skips everything up to the next Sync.
/// - Reads share a Sync (`endReads`), so after an error the server skips the reads behind it. Those are sent again, each with a Sync of
///   its own, so that the error of one read cannot affect another any more.
/// - A write is one Sync: an implicit transaction, which happens as a whole or not at all. It is finished when its Sync is answered.
/// - When the server does not have a prepared statement any more, or the tables of the statement have changed, it is prepared again and
///   the read or write is sent once more. The failed one was rolled back.
/// - When the server refuses to prepare a statement, for instance because of a lock, more executions of it may have been sent already. Those that
///   cannot be sent once more fail with the same reason, and not because the statement does not exist.
///
/// <https://www.postgresql.org/docs/15/libpq-pipeline-mode.html>
struct Pipeline {
    /// Identifies the call that waits for a read or a write; the pipeline only returns it.
    typealias Ticket = Int

    enum Command: Equatable {
        case prepare(name: String, SQL)
        case execute(name: String, SQL)
        /// Parse, bind and execute in one message, without a name.
        case run(SQL)
        case sync
    }

    enum Received: Equatable {
        case rows
        case refused(ServerError)
        case skipped
        case synced
    }

    enum Action: Equatable {
        case none
        /// The current rows are the answer to this read.
        case answer(Ticket)
        /// The current rows belong to this write, whose Sync is still awaited.
        case keep(Ticket)
        /// This write was rolled back and is sent again; the rows kept so far are not valid.
        case restart(Ticket)
        /// This write is committed.
        case finish(Ticket)
        case fail(Ticket, PostgresError)
        /// The connection cannot be used any more.
        case drop(String)
        /// As `drop`, and other connections for writes cannot be used either, because the server takes no writes.
        case leave(String)
    }

    struct Write: Equatable {
        let ticket: Ticket
        let statements: [SQL]
        /// Whether it may be sent again after it was rolled back. This is not possible inside a transaction that began before it.
        var mayRepeat: Bool
    }

    private enum Outgoing {
        case read(Ticket, SQL, isRepeated: Bool)
        case endOfReads
        case write(Write)
    }

    private enum Awaited {
        case prepare(SQL, name: String)
        case read(Ticket, SQL, name: String?, isRepeated: Bool)
        case step(Ticket, SQL, name: String?)
        case sync(Write?)

        /// The prepared statement that is executed.
        var executed: String? {
            switch self {
            case .read(_, _, let name, _), .step(_, _, let name): name
            case .prepare, .sync: nil
            }
        }
    }

    private var statements: Statements
    private let depth: Int
    private let readsPerSync: Int
    private var outgoing = Deque<Outgoing>()
    private var awaited = Deque<Awaited>()
    private var openReads = 0

    // Used by `next`: the execute behind a prepare, the write that is being sent, reads that have no Sync yet.
    private var afterPrepare: Command?
    private var writing: (write: Write, sent: Int)?
    private var isAmongReads = false

    // Used by `receive`: why the last prepare was refused, until its own execution fails with that; the same by statement, with the number of executions
    // that were sent before the refusal was known; and why the current write fails.
    private var refusedPrepare: ServerError?
    private var refusedPrepares: [String: (error: ServerError, executions: Int)] = [:]
    private var writeFailure: (error: PostgresError, isStale: Bool)?

    /// `depth` limits how many answers are awaited at the same time, `readsPerSync` the number of reads that one error can affect.
    init(statements: Int = 512, depth: Int = 1024, readsPerSync: Int = 64) {
        self.statements = Statements(capacity: statements)
        self.depth = depth
        self.readsPerSync = readsPerSync
    }

    var isAwaiting: Bool { !awaited.isEmpty }

    /// The most reads that are sent together, since the server answers them one after another.
    static let mostTogether = 16

    /// Whether further reads should be sent with those that were submitted and not sent yet.
    var gathersReads: Bool { (1..<Self.mostTogether).contains(openReads) }

    mutating func read(_ sql: SQL, _ ticket: Ticket) {
        outgoing.append(.read(ticket, sql, isRepeated: false))
        openReads += 1
        if openReads >= readsPerSync { endReads() }
    }

    /// Ends the group of reads submitted so far: they get one Sync.
    mutating func endReads() {
        if openReads > 0 { outgoing.append(.endOfReads) }
        openReads = 0
    }

    mutating func write(_ write: Write) {
        endReads()
        outgoing.append(.write(write))
    }

    // MARK: Sending

    /// The next command to send; `nil` when there is none, or when so many answers are awaited that sending pauses.
    mutating func next() -> Command? {
        if let command = afterPrepare {
            afterPrepare = nil
            return command
        }
        if let command = nextStep() { return command }
        if !isAmongReads && awaited.count >= depth { return nil }
        switch outgoing.popFirst() {
        case .read(let ticket, let sql, let isRepeated):
            isAmongReads = true
            return start(sql) { .read(ticket, sql, name: $0, isRepeated: isRepeated) }
        case .endOfReads:
            isAmongReads = false
            awaited.append(.sync(nil))
            return .sync
        case .write(let write):
            writing = (write, 0)
            return nextStep()
        case nil:
            return nil
        }
    }

    private mutating func nextStep() -> Command? {
        guard let (write, sent) = writing else { return nil }
        guard sent < write.statements.count else {
            writing = nil
            awaited.append(.sync(write))
            return .sync
        }
        writing = (write, sent + 1)
        let sql = write.statements[sent]
        return start(sql) { .step(write.ticket, sql, name: $0) }
    }

    private mutating func start(_ sql: SQL, awaiting: (String?) -> Awaited) -> Command {
        switch statements.plan(sql) {
        case .known(let name):
            awaited.append(awaiting(name))
            return .execute(name: name, sql)
        case .new(let name):
            awaited.append(.prepare(sql, name: name))
            awaited.append(awaiting(name))
            afterPrepare = .execute(name: name, sql)
            return .prepare(name: name, sql)
        case .unprepared:
            awaited.append(awaiting(nil))
            return .run(sql)
        }
    }

    // MARK: Receiving

    /// Returns what to do with the next result.
    mutating func receive(_ received: Received) -> Action {
        if case .refused(let error) = received, error.endsConnection { return .drop("\(error.message) (\(error.state))") }
        guard let expected = awaited.popFirst() else { return .drop("a result that nothing awaits") }
        let refusal = refusal(of: expected)
        switch (expected, received) {
        case (.prepare, .rows):
            return .none
        case (.prepare(let sql, let name), .refused(let error)):
            statements.forget(sql, name)
            refusedPrepare = error
            refusedPrepares[name] = (error, awaited.count { $0.executed == name })
            return .none
        case (.prepare(let sql, let name), .skipped):
            statements.forget(sql, name)
            return .none

        case (.read(let ticket, _, _, _), .rows):
            return .answer(ticket)
        case (.read(let ticket, let sql, let name, let isRepeated), .refused(let error)):
            return refuse(ticket, sql, name, isRepeated, error, refusal)
        case (.read(let ticket, let sql, _, _), .skipped):
            if let error = refusedPrepare {
                refusedPrepare = nil
                return .fail(ticket, error.publicError(preparing: sql.text))
            }
            repeatRead(ticket, sql)
            return .none

        case (.step(let ticket, _, _), .rows):
            return .keep(ticket)
        case (.step, .refused(let error)) where error.isReadOnly:
            return .leave("\(error.message) (\(error.state))")
        case (.step(_, let sql, let name), .refused(let error)):
            if error.isStaleStatement, let name { statements.forget(sql, name) }
            writeFailure = (Self.reason(error, refusal, sql), error.isStaleStatement && name != nil)
            return .none
        case (.step(_, let sql, _), .skipped):
            if let error = refusedPrepare {
                refusedPrepare = nil
                writeFailure = (error.publicError(preparing: sql.text), false)
            }
            return .none

        case (.sync, .refused(let error)):
            // A check at the commit failed. The answer to the Sync itself is still to come.
            writeFailure = (error.publicError, false)
            awaited.prepend(expected)
            return .none
        case (.sync(let write), .synced):
            return finish(write)

        default:
            return .drop("the server's answers do not fit what was sent")
        }
    }

    /// Why the statement that is executed was not prepared, where that came out after the execution had been sent.
    private mutating func refusal(of expected: Awaited) -> ServerError? {
        guard !refusedPrepares.isEmpty, let name = expected.executed, let refused = refusedPrepares[name] else { return nil }
        refusedPrepares[name] = refused.executions > 1 ? (refused.error, refused.executions - 1) : nil
        return refused.error
    }

    /// The reason to tell, which is that of the prepare where the statement is missing since then.
    private static func reason(_ error: ServerError, _ refusal: ServerError?, _ sql: SQL) -> PostgresError {
        guard error.isStaleStatement, let refusal else { return error.publicError }
        return refusal.publicError(preparing: sql.text)
    }

    private mutating func refuse(
        _ ticket: Ticket, _ sql: SQL, _ name: String?, _ isRepeated: Bool, _ error: ServerError, _ refusal: ServerError?
    ) -> Action {
        guard error.isStaleStatement, let name, !isRepeated else { return .fail(ticket, Self.reason(error, refusal, sql)) }
        statements.forget(sql, name)
        repeatRead(ticket, sql)
        return .none
    }

    private mutating func repeatRead(_ ticket: Ticket, _ sql: SQL) {
        endReads()
        outgoing.append(.read(ticket, sql, isRepeated: true))
        outgoing.append(.endOfReads)
    }

    private mutating func finish(_ write: Write?) -> Action {
        let failure = writeFailure
        writeFailure = nil
        guard var write else { return .none }
        guard let failure else { return .finish(write.ticket) }
        guard failure.isStale && write.mayRepeat else { return .fail(write.ticket, failure.error) }
        write.mayRepeat = false
        outgoing.prepend(.write(write))
        return .restart(write.ticket)
    }
}
