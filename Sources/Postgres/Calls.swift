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
    let isStep: Bool
    var rows: [[Row]] = []
}

/// What waits for a write connection: a write, or a transaction that wants one to itself.
enum WriteJob: Sendable {
    case write(Write)
    case lease(Answer<Connection>)

    func fail(_ error: PostgresError) {
        switch self {
        case .write(let write): write.answer.resume(returning: .failure(error))
        case .lease(let answer): answer.resume(returning: .failure(error))
        }
    }
}
