import Runtime

/// The answer to a call: its continuation is resumed exactly once. A continuation is held in one place at a time, and the code that takes
/// it out (`Slab.remove`, `Deque.popFirst`) resumes it.
typealias Answer<Value: Sendable> = UnsafeContinuation<Result<Value, PostgresError>, Never>

/// A read that waits for its rows.
struct Read: Sendable, Waiting {
    let sql: SQL
    let answer: ReadAnswer
    let since: MonotonicTime
    /// The number of calls that it answers (`KeyedReads`).
    var keys = 1
    /// The number of connections that were lost while it waited.
    var losses = 0
}

/// Where the rows of a read go, exactly once.
enum ReadAnswer: Sendable {
    case toCall(Answer<[Row]>)
    /// To several calls, on the loop.
    case shared(@Sendable (Result<[Row], PostgresError>) -> Void)

    func resume(returning result: Result<[Row], PostgresError>) {
        switch self {
        case .toCall(let call): call.resume(returning: result)
        case .shared(let give): give(result)
        }
    }
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
    enum Content: Sendable {
        case statements([SQL])
        /// The key of a statement that other keys may share.
        case key(SQL, of: KeyedStatement)
    }

    let content: Content
    let answer: Answer<[[Row]]>
    let since: MonotonicTime
    /// Whether it belongs to a transaction, which keeps the connection.
    var isStep = false
    /// The row that its statements lock, or wait for, if that is known.
    var lock: [UInt8]?
    /// Whether it may be committed together with other writes of the same durability.
    var mayShare = false
    var durability = Durability.flushed

    /// How many statements or keys it has.
    var count: Int {
        switch content {
        case .statements(let statements): statements.count
        case .key: 1
        }
    }

    var key: SQL? {
        guard case .key(let key, of: _) = content else { return nil }
        return key
    }

    var keyedStatement: KeyedStatement? {
        guard case .key(_, of: let statement) = content else { return nil }
        return statement
    }
}

/// The content of one Sync of a write connection: one write, or several writes that are committed together.
struct Batch: Sendable {
    /// Of several writes, those with keys come first, by their statements, and otherwise they are in the order of the locks that they
    /// name. All batches of a process keep this order, so that two of them seldom wait for one another by those locks. Within a statement
    /// of several keys PostgreSQL chooses the order; where two batches do wait for one another, one of them is given up (`patience`).
    let members: [Write]
    /// The members in parts: one write, or several whose keys share a statement.
    private let parts: [ArraySlice<Write>]

    /// - Parameter members: one write, or several that `mayShare`.
    init(_ members: [Write]) {
        self.members = members.count == 1 ? members : members.sorted(by: Self.isBefore)
        parts = Self.parts(of: self.members)
    }

    private static func isBefore(_ one: Write, _ other: Write) -> Bool {
        let (statement, otherStatement) = (one.keyedStatement, other.keyedStatement)
        if statement !== otherStatement {
            guard let statement else { return false }
            return otherStatement.map { ObjectIdentifier(statement) < ObjectIdentifier($0) } ?? true
        }
        return (one.lock ?? []).lexicographicallyPrecedes(other.lock ?? [])
    }

    private static func parts(of members: [Write]) -> [ArraySlice<Write>] {
        var parts: [ArraySlice<Write>] = []
        var start = 0
        for end in 1...members.count where end == members.count || !shareStatement(members[end - 1], members[end]) {
            parts.append(members[start..<end])
            start = end
        }
        return parts
    }

    /// Whether neighbours share a statement. A statement changes a row only once, so of the writes that name the same row it takes one; they
    /// are neighbours by their order.
    private static func shareStatement(_ write: Write, _ next: Write) -> Bool {
        guard let statement = write.keyedStatement else { return false }
        return statement === next.keyedStatement && write.lock != next.lock
    }

    var isStep: Bool { members.contains(where: \.isStep) }
    var isShared: Bool { members.count > 1 }

    /// All statements, behind the one that says how they are locked and committed, if that is not the usual way.
    var statements: [SQL] {
        var all = prelude.map { [$0] } ?? []
        for part in parts {
            switch part[part.startIndex].content {
            case .statements(let statements): all += statements
            case .key(_, of: let statement): all.append(statement.sql(for: part.compactMap(\.key)))
            }
        }
        return all
    }

    private var isFlushed: Bool { members.allSatisfy { $0.durability == .flushed } }
    private var hasPrelude: Bool { isShared || !isFlushed }

    private var prelude: SQL? {
        let patience = Self.patience(members.reduce(0) { $0 + $1.count })
        return switch (isShared, isFlushed) {
        case (false, true): nil
        case (false, false): "SELECT set_config('synchronous_commit', 'off', true)"
        case (true, true): "SELECT set_config('lock_timeout', \(patience), true)"
        case (true, false): "SELECT set_config('lock_timeout', \(patience), true), set_config('synchronous_commit', 'off', true)"
        }
    }

    /// How many milliseconds each of so many statements or keys waits for a lock. It may wait this long for a row, and then for the
    /// transaction that has it. All together wait less than the server's `deadlock_timeout` (1 s), after which the server might end the
    /// other transaction instead.
    static func patience(_ count: Int) -> String { "\(max(1, min(20, 320 / max(1, count))))" }

    /// Answers every write with its own part of the rows that `statements` returned.
    func answer(_ rows: [[Row]]) {
        var rest = rows[...]
        if hasPrelude { rest = rest.dropFirst() }
        for part in parts {
            let first = part[part.startIndex]
            if let statement = first.keyedStatement {
                Self.answer(part, of: statement, rest.popFirst() ?? [])
            } else {
                first.answer.resume(returning: .success(Array(rest.prefix(first.count))))
                rest = rest.dropFirst(first.count)
            }
        }
    }

    private static func answer(_ part: ArraySlice<Write>, of statement: KeyedStatement, _ rows: [Row]) {
        do throws(PostgresError) {
            let divided = try statement.divide(rows, among: part.count)
            for (write, rows) in zip(part, divided) { write.answer.resume(returning: .success([rows])) }
        } catch {
            for write in part { write.answer.resume(returning: .failure(error)) }
        }
    }

    func fail(_ error: PostgresError) {
        for write in members { write.answer.resume(returning: .failure(error)) }
    }
}

/// A job that waits for a write connection: a write, or a transaction that needs a connection of its own.
enum WriteJob: PoolJob {
    case write(Write)
    case lease(Answer<Connection>, lock: [UInt8]?)

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
