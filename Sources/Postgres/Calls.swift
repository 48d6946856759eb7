import Runtime

/// How a call is answered: by resuming its continuation, exactly once. Continuations are held in one place at a time, and whoever takes
/// one out (`Slab.remove`, `Deque.popFirst`) answers it.
typealias Answer<Value: Sendable> = UnsafeContinuation<Result<Value, PostgresError>, Never>

/// A read that awaits its rows.
struct Read: Sendable {
    let sql: SQL
    let answer: Answer<[Row]>
    let since: MonotonicTime
    /// How many connections died under it.
    var losses = 0
}

/// A write, or a step of a transaction, that awaits its commit.
struct Write: Sendable {
    let statements: [SQL]
    let answer: Answer<[[Row]]>
    let since: MonotonicTime
    /// Whether it belongs to a transaction, which keeps the connection.
    var isStep = false
    /// The row that its one statement locks, if it may be committed together with other writes.
    var lock: [UInt8]?
}

/// What goes under one Sync of a write connection: a write, or several of one statement each that are committed together.
struct Batch: Sendable {
    /// Several are in the order of their locks. All batches keep it, so that no two of them wait for one another.
    let members: [Write]
    /// What the statements gave.
    var rows: [[Row]] = []

    init(_ members: [Write]) {
        self.members = members.count == 1 ? members : members.sorted { ($0.lock ?? []).lexicographicallyPrecedes($1.lock ?? []) }
    }

    /// A lock that doesn't come soon ends the batch, before the server's `deadlock_timeout` (1 s) can end whoever holds the lock.
    private static let bound: SQL = "SELECT set_config('lock_timeout', '200', true)"

    var isStep: Bool { members[0].isStep }

    var statements: [SQL] { members.count == 1 ? members[0].statements : [Self.bound] + members.flatMap(\.statements) }

    /// Every write with its own rows, once all of them have come.
    var answers: [(Write, [[Row]])] { members.count == 1 ? [(members[0], rows)] : zip(members, rows.dropFirst()).map { ($0, [$1]) } }
}

/// What waits for a write connection: a write, or a transaction that wants one to itself.
enum WriteJob: Sendable {
    case write(Write)
    case lease(Answer<Connection>)

    /// Whether it may be committed together with others.
    var mayShare: Bool {
        guard case .write(let write) = self else { return false }
        return write.lock != nil
    }

    func fail(_ error: PostgresError) {
        switch self {
        case .write(let write): write.answer.resume(returning: .failure(error))
        case .lease(let answer): answer.resume(returning: .failure(error))
        }
    }
}
