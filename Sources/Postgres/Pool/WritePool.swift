import DequeModule
import Runtime

/// The facts about a job that a pool needs.
protocol PoolJob: Sendable {
    /// The one row that the job locks, if that is known: jobs that lock the same row never run on two connections at a time.
    var lock: [UInt8]? { get }
    /// The kind of jobs with which it may share a connection and its commit; `nil` when it shares with none.
    var sharing: Durability? { get }
}

/// Assigns write connections to jobs, as a value. Jobs are added with `add`, and `next()` returns the next action until it returns nil.
///
/// Jobs run in their order, with two exceptions. A job that may share also takes jobs of its kind that wait behind it; those in between
/// wait no longer by it. A job whose row is locked by a running job lets others pass until that one ends; otherwise it would keep a
/// connection, and the jobs that share it, waiting.
struct WritePool<Job: PoolJob> {
    enum Slot: Equatable {
        case vacant
        case opening
        case idle
        case busy
    }

    enum Action {
        /// Run these jobs on this connection: one, or several that share it.
        case run([Job], on: Int)
        case open(Int)
    }

    private(set) var slots: [Slot]
    private struct WaitingJob: Waiting {
        let job: Job
        let since: MonotonicTime
    }

    private var waiting = Deque<WaitingJob>()
    private let room: Int
    private let roomOfOneRow: Int
    private let together: Int
    /// The rows that running jobs lock: all of them, and by connection.
    private var locked: Set<[UInt8]> = []
    private var locks: [[[UInt8]]]

    /// - Parameters:
    ///   - room: how many jobs may wait.
    ///   - roomOfOneRow: how many of them may wait for the same row and share with none.
    ///   - together: how many jobs may share a connection at the same time.
    init(connections: Int, room: Int, roomOfOneRow: Int, together: Int = 1) {
        slots = Array(repeating: .vacant, count: connections)
        locks = Array(repeating: [], count: connections)
        self.room = room
        self.roomOfOneRow = roomOfOneRow
        self.together = together
    }

    var waitingCount: Int { waiting.count }
    var oldestWait: MonotonicTime? { waiting.oldest }
    var hasConnection: Bool { slots.contains { $0 == .idle || $0 == .busy } }
    func count(_ slot: Slot) -> Int { slots.count { $0 == slot } }

    /// `false` when too many jobs wait already: in all, or one by one for the job's own row, so that these leave room to the others. Jobs that
    /// share pass many at a time.
    mutating func add(_ job: Job, at now: MonotonicTime) -> Bool {
        guard waiting.count < room else { return false }
        if job.sharing == nil, let lock = job.lock, waiting.count >= roomOfOneRow,
            waiting.count(where: { $0.job.lock == lock && $0.job.sharing == nil }) >= roomOfOneRow
        {
            return false
        }
        waiting.append(WaitingJob(job: job, since: now))
        return true
    }

    /// For jobs that were accepted before and must run again, and for a job that must not queue. They go before all others, and always
    /// find room. They wait from `now` on, so they may be younger than the jobs behind them.
    mutating func addFirst(_ jobs: [Job], at now: MonotonicTime) {
        for job in jobs.reversed() { waiting.prepend(WaitingJob(job: job, since: now)) }
    }

    /// The next action. Connections are opened only when `mayOpen`, and only as many as jobs could run.
    mutating func next(mayOpen: Bool) -> Action? {
        guard let first = waiting.firstIndex(where: { !isHeldUp($0.job) }) else { return nil }
        if let slot = slots.firstIndex(of: .idle) {
            slots[slot] = .busy
            let jobs = take(from: first)
            locks[slot] = jobs.compactMap(\.lock)
            locked.formUnion(locks[slot])
            return .run(jobs, on: slot)
        }
        guard mayOpen, count(.opening) < waiting.count(where: { !isHeldUp($0.job) }), let slot = slots.firstIndex(of: .vacant) else {
            return nil
        }
        slots[slot] = .opening
        return .open(slot)
    }

    /// Whether a running job has locked the job's row.
    func isHeldUp(_ job: Job) -> Bool {
        guard let lock = job.lock else { return false }
        return locked.contains(lock)
    }

    /// Takes out the job at `place`, and those behind it that share its connection.
    private mutating func take(from place: Int) -> [Job] {
        var jobs = [waiting.remove(at: place).job]
        guard let sharing = jobs[0].sharing else { return jobs }
        var next = place
        // Not the whole queue: where jobs of its kind are rare, it need not wait for more of them.
        let most = place + 8 * together
        while jobs.count < together, next < min(waiting.count, most) {
            if waiting[next].job.sharing == sharing, !isHeldUp(waiting[next].job) {
                jobs.append(waiting.remove(at: next).job)
            } else {
                next += 1
            }
        }
        return jobs
    }

    /// A connection was opened, or has finished its job.
    mutating func free(_ slot: Int) { leave(slot, .idle) }

    /// A connection ended, or could not be opened.
    mutating func vacate(_ slot: Int) { leave(slot, .vacant) }

    private mutating func leave(_ slot: Int, _ state: Slot) {
        slots[slot] = state
        locked.subtract(locks[slot])
        locks[slot] = []
    }

    /// The connections that are open and idle.
    var idleSlots: [Int] { slots.indices.filter { slots[$0] == .idle } }

    /// A place for another connection, whether jobs wait or not; `nil` when all are taken.
    mutating func openOne() -> Int? {
        guard let slot = slots.firstIndex(of: .vacant) else { return nil }
        slots[slot] = .opening
        return slot
    }

    /// Takes out the jobs that have waited for `patience`.
    mutating func expire(at now: MonotonicTime, patience: Duration) -> [Job] {
        waiting.expire(at: now, patience: patience).map(\.job)
    }

    mutating func removeAll() -> [Job] {
        defer { waiting.removeAll() }
        return waiting.map(\.job)
    }
}
