import CSystem
import Dispatch
import Glibc
import Synchronization

/// An event loop: one serial queue and one epoll descriptor, which run everything that belongs to one core.
///
/// A loop runs the sockets registered on it (`watch`), its timers (`schedule`) and the jobs of every actor and task that has it as its
/// executor, one after another, so that state that belongs to one loop needs no lock. In each turn the loop waits for ready sockets, calls
/// their watchers, runs the jobs that became ready, runs the actions deferred to the end of the turn (`atEndOfTurn`), and repeats the last
/// two until neither is left.
///
/// One `DispatchSource` watches the epoll descriptor, whatever the number of sockets. Other threads (through an event descriptor) and
/// timers (through a timer descriptor) use the same epoll descriptor. Between turns the loop waits in `epoll_wait` for a short time
/// (`patience`) before it gives its thread back to Dispatch, since getting a thread again costs two thread switches.
package final class Loop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // @unchecked Sendable because all state but `inbox` and `owner` is touched only on `queue`, which `assertOnLoop` checks.

    package let index: Int
    private let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let epoll: Int32
    /// Other threads write to it after they have put something into the inbox.
    private let inboxEvent: Int32
    /// Becomes ready when the earliest timer is due.
    private let alarm: Int32
    private let inbox = Mutex(Inbox())
    /// The thread that is running a turn, 0 between turns. It makes `isIsolatingCurrentContext` a load and a comparison.
    private let owner = Atomic<UInt>(0)

    /// Indexed by descriptor. The kernel gives the lowest free number, so the array stays dense.
    private var watchers: [Registration] = []
    private var generation: UInt32 = 0
    private var jobs: [UnownedJob] = []
    private var endOfTurn: [() -> Void] = []
    private var nextTurn: [() -> Void] = []
    // The part of `jobs` and `endOfTurn` that is being run. They are swapped, so that a turn allocates nothing.
    private var readyJobs: [UnownedJob] = []
    private var ending: [() -> Void] = []
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 256)
    private var timers = Timers()
    /// The time read at the start of this turn.
    package private(set) var now = MonotonicTime.read()
    /// The number of this turn.
    package private(set) var turn: UInt64 = 0

    /// How long an idle loop keeps its thread, in milliseconds.
    private static let patience: Int32 = 100

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var actions: [@Sendable () -> Void] = []
        var isWoken = false
    }

    private struct Registration {
        var watcher: (any Watcher)?
        var generation: UInt32 = 0
    }

    /// Throws when the process cannot open another descriptor.
    package init(index: Int) throws(SystemError) {
        self.index = index
        queue = DispatchQueue(label: "loop.\(index)")
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        inboxEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        alarm = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard epoll >= 0, inboxEvent >= 0, alarm >= 0 else {
            let failure = SystemError("epoll_create1")
            for descriptor in [epoll, inboxEvent, alarm] where descriptor >= 0 { Glibc.close(descriptor) }
            throw failure
        }
        for descriptor in [inboxEvent, alarm] {
            // Edge triggered, so that they need not be read to become silent. Adding a new descriptor to a new epoll cannot fail.
            var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: Self.key(descriptor, 0))
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        }
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        source.setEventHandler { [unowned self] in turns() }
        source.resume()
    }

    deinit {
        source.setCancelHandler { [epoll, inboxEvent, alarm] in
            for descriptor in [epoll, inboxEvent, alarm] { Glibc.close(descriptor) }
        }
        source.cancel()
        events.deallocate()
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { return jobs.append(job) }
        post { $0.jobs.append(job) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() { precondition(isCurrent, "not on loop \(index)") }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Whether the caller runs on this loop.
    package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func assertOnLoop() { assert(isCurrent, "not on loop \(index)") }

    /// Runs `body` on the loop; at once when the caller already is on it.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { post { $0.actions.append(body) } }
    }

    /// Puts something into the inbox, and wakes the loop unless another thread already has.
    private func post(_ put: (inout Inbox) -> Void) {
        let mustWakeUp = inbox.withLock { inbox in
            put(&inbox)
            defer { inbox.isWoken = true }
            return !inbox.isWoken
        }
        guard mustWakeUp else { return }
        var one: UInt64 = 1
        _ = write(inboxEvent, &one, 8)
    }

    private func openInbox() {
        let (remote, actions) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.jobs, inbox.actions)
        }
        jobs += remote
        for action in actions { action() }
    }

    // MARK: Turns

    private func turns() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let isIdle = jobs.isEmpty && nextTurn.isEmpty
            let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), isIdle ? Self.patience : 0)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 && isIdle { break }
            now = MonotonicTime.read()
            turn &+= 1
            for index in 0..<Int(max(0, count)) { deliver(events[index]) }
            runPostponed()
            runJobs()
        }
        owner.store(0, ordering: .relaxed)
    }

    private func runPostponed() {
        guard !nextTurn.isEmpty else { return }
        swap(&nextTurn, &ending)
        for action in ending { action() }
        ending.removeAll(keepingCapacity: true)
    }

    private func deliver(_ event: epoll_event) {
        let descriptor = Int32(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
        if descriptor == inboxEvent { return openInbox() }
        if descriptor == alarm { return runTimers() }
        // A watcher that an earlier event of this turn removed, or replaced under the same number, is not called.
        let registration = watchers[Int(descriptor)]
        guard let watcher = registration.watcher, registration.generation == UInt32(event.data.u64 >> 32) else { return }
        watcher.ready(Interest(rawValue: event.events))
    }

    /// Runs jobs, then deferred actions, until none is left. If jobs always create new jobs, the sockets get their turn after a while.
    private func runJobs() {
        for _ in 0..<64 where !jobs.isEmpty || !endOfTurn.isEmpty {
            if !jobs.isEmpty {
                swap(&jobs, &readyJobs)
                let serial = asUnownedSerialExecutor()
                let task = asUnownedTaskExecutor()
                // As both executors: then a task that prefers this loop stays here when it continues after a wait.
                for job in readyJobs { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
                readyJobs.removeAll(keepingCapacity: readyJobs.count < 1024)
                if !jobs.isEmpty { continue }
            }
            finishTurn()
        }
        finishTurn()
    }

    private func finishTurn() {
        while !endOfTurn.isEmpty {
            swap(&endOfTurn, &ending)
            for action in ending { action() }
            ending.removeAll(keepingCapacity: true)
        }
    }

    // MARK: Sockets

    /// Calls `watcher` whenever `descriptor` is ready for what `interest` names, until `unwatch`. Level triggered.
    package func watch(_ descriptor: Int32, for interest: Interest, _ watcher: any Watcher) throws(SystemError) {
        assertOnLoop()
        generation &+= 1
        var event = epoll_event(events: interest.rawValue, data: Self.key(descriptor, generation))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
        while watchers.count <= Int(descriptor) { watchers.append(Registration()) }
        watchers[Int(descriptor)] = Registration(watcher: watcher, generation: generation)
    }

    /// Changes what a watched descriptor is watched for.
    package func rewatch(_ descriptor: Int32, for interest: Interest) throws(SystemError) {
        assertOnLoop()
        guard isWatched(descriptor) else { return }
        var event = epoll_event(events: interest.rawValue, data: Self.key(descriptor, watchers[Int(descriptor)].generation))
        guard epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
    }

    /// Ends the watch. Call it before a descriptor is closed that has duplicates, or that a library closes.
    package func unwatch(_ descriptor: Int32) {
        assertOnLoop()
        guard isWatched(descriptor) else { return }
        watchers[Int(descriptor)].watcher = nil
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Ends the watch and closes the descriptor, which must not have a duplicate: then the kernel removes the watch by itself.
    package func close(_ descriptor: Int32) {
        assertOnLoop()
        if isWatched(descriptor) { watchers[Int(descriptor)].watcher = nil }
        Glibc.close(descriptor)
    }

    private func isWatched(_ descriptor: Int32) -> Bool {
        watchers.indices.contains(Int(descriptor)) && watchers[Int(descriptor)].watcher != nil
    }

    private static func key(_ descriptor: Int32, _ generation: UInt32) -> epoll_data_t {
        epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)))
    }

    // MARK: Time

    /// Runs `action` once at the end of the current turn, which is the time to send what the turn has queued.
    package func atEndOfTurn(_ action: @escaping () -> Void) {
        assertOnLoop()
        endOfTurn.append(action)
    }

    /// Runs `action` once in the next turn, after the sockets that are ready then.
    package func atNextTurn(_ action: @escaping () -> Void) {
        assertOnLoop()
        nextTurn.append(action)
    }

    /// Runs `action` on the loop after `delay`, to within about a millisecond, unless the timer is cancelled.
    @discardableResult
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Timer {
        assertOnLoop()
        let timer = timers.add(at: MonotonicTime.read() + delay, action)
        setAlarm()
        return timer
    }

    package func cancel(_ timer: Timer) {
        assertOnLoop()
        timers.cancel(timer)
    }

    private func runTimers() {
        while let action = timers.takeDue(at: now) { action() }
        setAlarm()
    }

    private func setAlarm() {
        guard let deadline = timers.needsArming() else { return }
        let seconds = deadline.nanoseconds / 1_000_000_000
        // Zero would switch the timer off.
        let rest = max(1, deadline.nanoseconds % 1_000_000_000)
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        timerfd_settime(alarm, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
