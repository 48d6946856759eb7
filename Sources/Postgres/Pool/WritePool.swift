import DequeModule
import Runtime

/// What a pool has to know of a job.
protocol PoolJob: Sendable {
    /// The one row that the job locks, when that is known: jobs that lock the same row don't run on two connections at a time.
    var lock: [UInt8]? { get }
    /// Whether it may share a connection, and its commit, with others that may.
    var mayShare: Bool { get }
}

/// Who has which write connection, and who waits, as a value: jobs go in with `add`, and `next()` says what to do until it says nothing.
///
/// Jobs run in their order, with two exceptions. One that may share takes along those right behind it that may, too. One whose row a running
/// job has locked lets others pass until that ends, or it would keep a connection, and those who share it, waiting.
struct WritePool<Job: PoolJob> {
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
    private struct WaitingJob: Waiting {
        let job: Job
        let since: MonotonicTime
    }

    private var waiting = Deque<WaitingJob>()
    private let room: Int
    private let together: Int
    /// The rows that running jobs lock: all of them, and by connection.
    private var locked: Set<[UInt8]> = []
    private var locks: [[[UInt8]]]

    /// - Parameters:
    ///   - room: how many jobs may wait.
    ///   - together: how many jobs may share a connection at a time.
    init(connections: Int, room: Int, together: Int = 1) {
        slots = Array(repeating: .vacant, count: connections)
        locks = Array(repeating: [], count: connections)
        self.room = room
        self.together = together
    }

    var waitingCount: Int { waiting.count }
    var oldestWait: MonotonicTime? { waiting.oldest }
    var hasConnection: Bool { slots.contains { $0 == .idle || $0 == .busy } }
    func count(_ slot: Slot) -> Int { slots.count { $0 == slot } }

    /// `false` when no more may wait.
    mutating func add(_ job: Job, at now: MonotonicTime) -> Bool {
        guard waiting.count < room else { return false }
        waiting.append(WaitingJob(job: job, since: now))
        return true
    }

    /// For what was accepted before and has to run again, and for what must not queue: it goes before all others, and there is always room.
    /// It waits from `now` on, so it may be younger than what is behind it.
    mutating func addFirst(_ jobs: [Job], at now: MonotonicTime) {
        for job in jobs.reversed() { waiting.prepend(WaitingJob(job: job, since: now)) }
    }

    /// What to do next; connections are opened only when `mayOpen`, and only as many as there are jobs waiting.
    mutating func next(mayOpen: Bool) -> Action? {
        guard let first = waiting.firstIndex(where: { !isHeldUp($0.job) }) else { return nil }
        if let slot = slots.firstIndex(of: .idle) {
            slots[slot] = .busy
            let jobs = take(from: first)
            locks[slot] = jobs.compactMap(\.lock)
            locked.formUnion(locks[slot])
            return .run(jobs, on: slot)
        }
        guard mayOpen, count(.opening) < waiting.count, let slot = slots.firstIndex(of: .vacant) else { return nil }
        slots[slot] = .opening
        return .open(slot)
    }

    private func isHeldUp(_ job: Job) -> Bool {
        guard let lock = job.lock else { return false }
        return locked.contains(lock)
    }

    /// Takes out the job at `place`, and those behind it that share its connection.
    private mutating func take(from place: Int) -> [Job] {
        var jobs = [waiting.remove(at: place).job]
        guard jobs.allSatisfy(\.mayShare) else { return jobs }
        while jobs.count < together, place < waiting.count, waiting[place].job.mayShare, !isHeldUp(waiting[place].job) {
            jobs.append(waiting.remove(at: place).job)
        }
        return jobs
    }

    /// A connection was opened, or came back from its job.
    mutating func free(_ slot: Int) { leave(slot, .idle) }

    /// A connection ended, or never came to be.
    mutating func vacate(_ slot: Int) { leave(slot, .vacant) }

    private mutating func leave(_ slot: Int, _ state: Slot) {
        slots[slot] = state
        locked.subtract(locks[slot])
        locks[slot] = []
    }

    /// The connections that are open and have nothing to do.
    var idleSlots: [Int] { slots.indices.filter { slots[$0] == .idle } }

    /// A place to open a connection in whether jobs wait or not; `nil` when all are taken.
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
