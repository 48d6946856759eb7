import DequeModule
import Runtime

/// Who has which write connection, and who waits, as a value: jobs go in with `add`, and `next()` says what to do until it says nothing.
///
/// Jobs that may share a connection and its commit do so with those that wait right behind them.
struct WritePool<Job> {
    enum Slot: Equatable {
        case vacant
        case opening
        case idle
        case busy
    }

    enum Action {
        /// Give the jobs, one or several that share, this connection.
        case run([Job], on: Int)
        case open(Int)
    }

    private(set) var slots: [Slot]
    private var waiting = Deque<(job: Job, since: MonotonicTime)>()
    private let room: Int
    private let together: Int
    private let mayShare: (Job) -> Bool

    /// - Parameters:
    ///   - room: how many jobs may wait.
    ///   - together: how many of those that `mayShare` get one connection at a time.
    init(connections: Int, room: Int, together: Int = 1, mayShare: @escaping (Job) -> Bool = { _ in false }) {
        slots = Array(repeating: .vacant, count: connections)
        self.room = room
        self.together = together
        self.mayShare = mayShare
    }

    var waitingCount: Int { waiting.count }
    var oldestWait: MonotonicTime? { waiting.first?.since }
    var hasConnection: Bool { slots.contains { $0 == .idle || $0 == .busy } }
    func count(_ slot: Slot) -> Int { slots.count { $0 == slot } }

    /// `false` when no more may wait.
    mutating func add(_ job: Job, at now: MonotonicTime) -> Bool {
        guard waiting.count < room else { return false }
        waiting.append((job, now))
        return true
    }

    /// What to do next; connections are opened only when `mayOpen`, and only as many as there are jobs waiting.
    mutating func next(mayOpen: Bool) -> Action? {
        guard !waiting.isEmpty else { return nil }
        if let slot = slots.firstIndex(of: .idle), let (job, _) = waiting.popFirst() {
            slots[slot] = .busy
            return .run([job] + sharers(with: job), on: slot)
        }
        guard mayOpen, count(.opening) < waiting.count, let slot = slots.firstIndex(of: .vacant) else { return nil }
        slots[slot] = .opening
        return .open(slot)
    }

    /// Takes out those behind `job` that share its connection.
    private mutating func sharers(with job: Job) -> [Job] {
        guard mayShare(job) else { return [] }
        var sharers: [Job] = []
        while sharers.count < together - 1, let (next, _) = waiting.first, mayShare(next) {
            waiting.removeFirst()
            sharers.append(next)
        }
        return sharers
    }

    /// A connection was opened, or came back from its job.
    mutating func free(_ slot: Int) { slots[slot] = .idle }

    /// A connection ended, or never came to be.
    mutating func vacate(_ slot: Int) { slots[slot] = .vacant }

    /// A place to open a connection in whether jobs wait or not; `nil` when all are taken.
    mutating func openOne() -> Int? {
        guard let slot = slots.firstIndex(of: .vacant) else { return nil }
        slots[slot] = .opening
        return slot
    }

    /// Takes out the jobs that have waited for `patience`.
    mutating func expire(at now: MonotonicTime, patience: Duration) -> [Job] {
        var expired: [Job] = []
        while let first = waiting.first, first.since + patience <= now {
            expired.append(first.job)
            waiting.removeFirst()
        }
        return expired
    }

    mutating func removeAll() -> [Job] {
        defer { waiting.removeAll() }
        return waiting.map(\.job)
    }
}
