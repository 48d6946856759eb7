import Runtime

/// The answer to a call: its continuation is resumed exactly once. A continuation is held in one place at a time, and the code that takes
/// it out (`Slab.remove`, `Deque.popFirst`) resumes it.
typealias Answer<Value: Sendable> = UnsafeContinuation<Result<Value, PostgresError>, Never>

/// A read that waits for its rows.
struct Read: Sendable, Waiting {
    let sql: SQL
    let answer: Answer<[Row]>
    let since: MonotonicTime
    /// The number of connections that were lost while it waited.
    var losses = 0
}

/// A write, or a step of a transaction, that waits for its commit.
struct Write: Sendable {
    let statements: [SQL]
    let answer: Answer<[[Row]]>
    let since: MonotonicTime
    /// Whether it belongs to a transaction, which keeps the connection.
    var isStep = false
    /// The one row that its one statement locks, if that is known.
    var lock: [UInt8]?
    /// Whether it may be committed together with other writes.
    var mayShare = false
}

/// The content of one Sync of a write connection: one write, or several writes of one statement each that are committed together.
struct Batch: Sendable {
    /// Several writes are in the order of their locks. All batches keep this order, so that no two of them wait for one another.
    let members: [Write]

    /// - Parameter members: one write, or several that `mayShare`.
    init(_ members: [Write]) {
        self.members = members.count == 1 ? members : members.sorted { ($0.lock ?? []).lexicographicallyPrecedes($1.lock ?? []) }
    }

    /// Limits the wait of a batch for a lock. Each statement may wait this long for a row, and then for the transaction that has it. All
    /// statements of a batch of 16 together wait less than the server's `deadlock_timeout` (1 s), after which the server might end the
    /// other transaction instead.
    private static let bound: SQL = "SELECT set_config('lock_timeout', '20', true)"

    var isStep: Bool { members.contains(where: \.isStep) }
    var isShared: Bool { members.count > 1 }

    var statements: [SQL] {
        guard isShared else { return members.first?.statements ?? [] }
        return [Self.bound] + members.flatMap(\.statements)
    }

    /// Answers every write with its own part of the rows that `statements` returned.
    func answer(_ rows: [[Row]]) {
        guard isShared else {
            for write in members { write.answer.resume(returning: .success(rows)) }
            return
        }
        for (write, rows) in zip(members, rows.dropFirst()) { write.answer.resume(returning: .success([rows])) }
    }

    func fail(_ error: PostgresError) {
        for write in members { write.answer.resume(returning: .failure(error)) }
    }
}

/// A job that waits for a write connection: a write, or a transaction that needs a connection of its own.
enum WriteJob: PoolJob {
    case write(Write)
    case lease(Answer<Connection>)

    var lock: [UInt8]? {
        guard case .write(let write) = self else { return nil }
        return write.lock
    }

    var mayShare: Bool {
        guard case .write(let write) = self else { return false }
        return write.mayShare
    }

    func fail(_ error: PostgresError) {
        switch self {
        case .write(let write): write.answer.resume(returning: .failure(error))
        case .lease(let answer): answer.resume(returning: .failure(error))
        }
    }
}
