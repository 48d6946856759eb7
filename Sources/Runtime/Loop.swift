package import Dispatch
import CSystem
import Glibc
import Synchronization

/// One serial queue and one epoll descriptor: the thread of everything that one core owns.
///
/// A loop runs the sockets registered on it (`watch`), its timers (`schedule`) and the jobs of every actor and task that
/// names it as executor, one after another, so that whatever lives on one loop needs no lock. A turn is: wait for
/// readiness without blocking, tell the watchers, run what was deferred to the end of the turn (`atEndOfTurn`), run
/// the jobs that became ready. One `DispatchSource` watches the epoll descriptor, whatever the number of sockets.
package final class Loop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // @unchecked Sendable because all state but `jobs` and `owner` is touched only on `queue`, which `assertOnLoop` checks.

    package let index: Int
    package let queue: DispatchQueue
    private let epoll: Int32
    private let source: any DispatchSourceRead
    private let jobs = Mutex(Jobs())
    /// The thread that is running a turn, 0 between turns: makes `isIsolatingCurrentContext` a load and a compare.
    private let owner = Atomic<UInt>(0)

    private var watchers: [Int32: Registration] = [:]
    private var generation: UInt32 = 0
    private var endOfTurn: [() -> Void] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    private var timers = Timers()
    private var timerSource: (any DispatchSourceTimer)?
    /// The time read at the start of this turn.
    package private(set) var now = MonotonicTime.read()

    private struct Jobs {
        var ready: [UnownedJob] = []
        var isScheduled = false
    }

    private struct Registration {
        let watcher: any Watcher
        let generation: UInt32
    }

    /// Throws when the process has no descriptor left.
    package init(index: Int) throws(SystemError) {
        self.index = index
        queue = DispatchQueue(label: "loop.\(index)")
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        source.setEventHandler { [unowned self] in turns() }
        source.resume()
    }

    deinit {
        timerSource?.cancel()
        source.setCancelHandler { [epoll] in close(epoll) }
        source.cancel()
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = jobs.withLock { jobs in
            jobs.ready.append(job)
            if jobs.isScheduled { return false }
            jobs.isScheduled = true
            return true
        }
        if mustWake { queue.async { self.run { self.runJobs() } } }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() { precondition(isCurrent, "not on \(queue.label)") }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Whether the caller runs on this loop.
    package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func assertOnLoop() { assert(isCurrent, "not on \(queue.label)") }

    /// Runs `body` on the loop, at once when already there.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { queue.async { self.run(body) } }
    }

    // MARK: Turns

    private func turns() {
        run {
            var count: Int32
            repeat {
                count = turn()
                runJobs()
            } while count > 0
        }
    }

    /// Marks this thread as the loop's while `body` runs.
    private func run(_ body: () -> Void) {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        now = MonotonicTime.read()
        body()
        finishTurn()
        owner.store(0, ordering: .relaxed)
    }

    private func turn() -> Int32 {
        let count = epoll_wait(epoll, &events, Int32(events.count), 0)
        guard count > 0 else { return 0 }
        now = MonotonicTime.read()
        for index in 0..<Int(count) {
            let data = events[index].data.u64
            let descriptor = Int32(truncatingIfNeeded: data & 0xFFFF_FFFF)
            // A watcher that an earlier event of this turn removed, or replaced on the same number, is not told.
            guard let registration = watchers[descriptor], registration.generation == UInt32(data >> 32) else { continue }
            registration.watcher.ready(Interest(rawValue: events[index].events))
        }
        finishTurn()
        return count
    }

    /// Runs what was deferred; a deferred action may defer again.
    private func finishTurn() {
        while !endOfTurn.isEmpty {
            let actions = endOfTurn
            endOfTurn.removeAll(keepingCapacity: true)
            for action in actions { action() }
        }
    }

    private func runJobs() {
        while true {
            let ready = jobs.withLock { jobs in
                let ready = jobs.ready
                jobs.ready.removeAll(keepingCapacity: ready.count < 1024)
                if ready.isEmpty { jobs.isScheduled = false }
                return ready
            }
            if ready.isEmpty { return }
            let executor = asUnownedSerialExecutor()
            for job in ready { job.runSynchronously(on: executor) }
            finishTurn()
        }
    }

    // MARK: Sockets

    /// Tells `watcher` whenever `descriptor` is ready for what `interest` names, until `unwatch`. Level triggered.
    package func watch(_ descriptor: Int32, for interest: Interest, _ watcher: any Watcher) throws(SystemError) {
        assertOnLoop()
        generation &+= 1
        var event = epoll_event(events: interest.rawValue, data: key(descriptor, generation))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
        watchers[descriptor] = Registration(watcher: watcher, generation: generation)
    }

    /// Changes what a watched descriptor is watched for.
    package func rewatch(_ descriptor: Int32, for interest: Interest) throws(SystemError) {
        assertOnLoop()
        guard let registration = watchers[descriptor] else { return }
        var event = epoll_event(events: interest.rawValue, data: key(descriptor, registration.generation))
        guard epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
    }

    /// Ends the watch; call it before closing the descriptor.
    package func unwatch(_ descriptor: Int32) {
        assertOnLoop()
        guard watchers.removeValue(forKey: descriptor) != nil else { return }
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    private func key(_ descriptor: Int32, _ generation: UInt32) -> epoll_data_t {
        epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)))
    }

    // MARK: Time

    /// Runs `action` once at the end of the turn that is under way: the place to send what the turn has queued.
    package func atEndOfTurn(_ action: @escaping () -> Void) {
        assertOnLoop()
        endOfTurn.append(action)
    }

    /// Runs `action` on the loop after `delay`, to within about a millisecond, unless the timer is cancelled.
    @discardableResult
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Timer {
        assertOnLoop()
        let timer = timers.add(at: MonotonicTime.read() + delay, action)
        armTimers()
        return timer
    }

    package func cancel(_ timer: Timer) {
        assertOnLoop()
        timers.cancel(timer)
    }

    private func armTimers() {
        guard let deadline = timers.needsArming() else { return }
        let source = timerSource ?? makeTimerSource()
        source.schedule(
            deadline: DispatchTime(uptimeNanoseconds: deadline.nanoseconds), leeway: .milliseconds(1))
    }

    private func makeTimerSource() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [unowned self] in
            run {
                for action in timers.due(at: MonotonicTime.read()) { action() }
                armTimers()
                runJobs()
            }
        }
        timerSource = source
        source.resume()
        return source
    }
}

/// What a descriptor is watched for, and what it turned out to be ready for: epoll's own bits.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// The peer closed its half; needs no asking for in answers.
    package static let readClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Only in answers.
    package static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
    /// Only in answers.
    package static let failed = Interest(rawValue: EPOLLERR.rawValue)
}

/// Whoever owns a descriptor on a loop. `ready` is called on the loop.
package protocol Watcher: AnyObject {
    nonisolated func ready(_ interest: Interest)
}
