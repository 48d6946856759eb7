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

/// When a commit is answered.
package enum Durability: Sendable {
    /// When the server's disk has it.
    case flushed
    /// Before the disk has it. The commit holds for all who read afterwards; only a crash of the server loses those of its last moments
    /// (three times `wal_writer_delay`, 0.6 s).
    case soon
}

/// A write, or a step of a transaction, that waits for its commit.
struct Write: Sendable {
    let statements: [SQL]
    let answer: Answer<[[Row]]>
    let since: MonotonicTime
    /// Whether it belongs to a transaction, which keeps the connection.
    var isStep = false
    /// The row that its statements lock, or wait for, if that is known.
    var lock: [UInt8]?
    /// Whether it may be committed together with other writes of the same durability.
    var mayShare = false
    var durability = Durability.flushed
}

/// The content of one Sync of a write connection: one write, or several writes that are committed together.
struct Batch: Sendable {
    /// Several writes are in the order of the locks that they name. All batches of a process keep this order, so that two of them seldom wait
    /// for one another by those locks. Where two batches do wait for one another, one of them is given up (`patience`).
    let members: [Write]

    /// - Parameter members: one write, or several that `mayShare`.
    init(_ members: [Write]) {
        self.members =
            members.count == 1
            ? members : members.sorted { one, other in (one.lock ?? []).lexicographicallyPrecedes(other.lock ?? []) }
    }

    var isStep: Bool { members.contains(where: \.isStep) }
    var isShared: Bool { members.count > 1 }

    /// All statements, behind the one that says how they are locked and committed, if that is not the usual way.
    var statements: [SQL] {
        (prelude.map { [$0] } ?? []) + members.flatMap(\.statements)
    }

    private var isFlushed: Bool { members.allSatisfy { $0.durability == .flushed } }
    private var hasPrelude: Bool { isShared || !isFlushed }

    private var prelude: SQL? {
        let patience = Self.patience(members.reduce(0) { $0 + $1.statements.count })
        return switch (isShared, isFlushed) {
        case (false, true): nil
        case (false, false): "SELECT set_config('synchronous_commit', 'off', true)"
        case (true, true): "SELECT set_config('lock_timeout', \(patience), true)"
        case (true, false): "SELECT set_config('lock_timeout', \(patience), true), set_config('synchronous_commit', 'off', true)"
        }
    }

    /// How many milliseconds each of so many statements waits for a lock. It may wait this long for a row, and then for the
    /// transaction that has it. All together wait less than the server's `deadlock_timeout` (1 s), after which the server might end the
    /// other transaction instead.
    static func patience(_ count: Int) -> String { "\(max(1, min(20, 320 / max(1, count))))" }

    /// Answers every write with its own part of the rows that `statements` returned.
    func answer(_ rows: [[Row]]) {
        var rest = rows[...]
        if hasPrelude { rest = rest.dropFirst() }
        for write in members {
            write.answer.resume(returning: .success(Array(rest.prefix(write.statements.count))))
            rest = rest.dropFirst(write.statements.count)
        }
    }

    func fail(_ error: PostgresError) {
        for write in members { write.answer.resume(returning: .failure(error)) }
    }
}

/// A job that waits for a write connection: a write, or a transaction that needs a connection of its own.
enum WriteJob: PoolJob {
    case write(Write)
    case lease(Answer<DatabaseConnection>, lock: [UInt8]?)

    var lock: [UInt8]? {
        switch self {
        case .write(let write): write.lock
        case .lease(_, let lock): lock
        }
    }

    var sharing: Durability? {
        guard case .write(let write) = self, write.mayShare else { return nil }
        return write.durability
    }

    func fail(_ error: PostgresError) {
        switch self {
        case .write(let write): write.answer.resume(returning: .failure(error))
        case .lease(let answer, _): answer.resume(returning: .failure(error))
        }
    }
}
