package import Runtime
import Synchronization

/// A few threads for password hashes, behind a queue of limited length. This is the only place where work leaves its loop.
///
/// The threads belong to the pool and give way to other threads, so that loops run first however many people sign in, and a hash of 30
/// to 40 ms does not occupy a thread of Dispatch. Work for which the queue has no room is refused at once: that costs nothing, while a hash
/// that no client waits for any more costs as much as any other (SEC-20).
///
/// A hash that is alone in the pool gives way less, so that a single sign-in is not late on a busy machine. A thread can lower its priority, but
/// not raise it again. Therefore threads end when the queue is empty.
package final class HashingPool: Sendable {
    /// The queue has no room, or the pool stops.
    package struct Full: Error { package init() {} }

    private struct Job {
        let work: @Sendable () -> Void
        let refuse: @Sendable () -> Void
        let since = MonotonicTime.read()
    }

    private struct State {
        var waiting: [Job] = []
        /// The number of jobs that were accepted and are not finished.
        var accepted = 0
        var threads = 0
        var isClosed = false
        var whenGone: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let threads: Int
    private let room: Int
    private let waited: Histogram
    private let worked: Histogram
    private let refused: Counter

    /// - Parameters:
    ///   - threads: how many hashes are computed at the same time; each core can do one.
    ///   - queue: how many more may wait.
    package init(threads: Int, queue: Int, metrics: Metrics) {
        self.threads = max(1, threads)
        room = self.threads + max(0, queue)
        waited = metrics.histogram("gatehouse_hashing_waiting_seconds", "How long password hashes waited for a thread.")
        worked = metrics.histogram("gatehouse_hashing_seconds", "How long password hashes took, waiting not included.")
        refused = metrics.counter("gatehouse_hashing_refused_total", "Password hashes refused because the queue was full.")
        metrics.gauge("gatehouse_hashing_queue", "Password hashes that wait for a thread.") { [weak self] in
            self?.state.withLock { $0.waiting.count } ?? 0
        }
    }

    /// Runs `work` on one of the threads; then the caller continues on its own loop. Throws at once when the queue is full.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Full) -> Value {
        let outcome: Result<Value, Full> = await withCheckedContinuation { waiting in
            submit(Job(work: { waiting.resume(returning: .success(work())) }, refuse: { waiting.resume(returning: .failure(Full())) }))
        }
        return try outcome.get()
    }

    /// Takes no more work, refuses what waits, and returns when the last thread has finished what it does and has ended.
    package func stop() async {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.accepted -= state.waiting.count
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in waiting { job.refuse() }
        await withCheckedContinuation { done in
            let isGone = state.withLock { state in
                if state.threads > 0 { state.whenGone.append { done.resume() } }
                return state.threads == 0
            }
            if isGone { done.resume() }
        }
    }

    private func submit(_ job: Job) {
        let accepted = state.withLock { state in
            guard !state.isClosed, state.accepted < room else { return false }
            if state.threads < threads { startThread(&state) }
            // Without memory for a first thread, the job would never be done.
            guard state.threads > 0 else { return false }
            state.accepted += 1
            state.waiting.append(job)
            return true
        }
        guard !accepted else { return }
        refused.increment()
        job.refuse()
    }

    private func startThread(_ state: inout State) {
        guard (try? BackgroundThread.start(name: "hashing", { [self] in workWhileThereIsWork() })) != nil else { return }
        state.threads += 1
    }

    private func workWhileThereIsWork() {
        BackgroundThread.giveWay(by: 5)
        while let (job, isAlone) = take() {
            if !isAlone { BackgroundThread.giveWay(by: 19) }
            let began = MonotonicTime.read()
            waited.record(microseconds: began.microseconds(since: job.since))
            job.work()
            worked.record(microseconds: MonotonicTime.read().microseconds(since: began))
            state.withLock { $0.accepted -= 1 }
        }
    }

    /// The next job, and whether no other is under way or waits. Without a job, the thread that asks must end.
    private func take() -> (job: Job, isAlone: Bool)? {
        let (next, told) = state.withLock { state -> ((Job, Bool)?, [@Sendable () -> Void]) in
            guard state.waiting.isEmpty else {
                return ((state.waiting.removeFirst(), state.accepted == 1), [])
            }
            state.threads -= 1
            guard state.threads == 0 else { return (nil, []) }
            defer { state.whenGone = [] }
            return (nil, state.whenGone)
        }
        for tell in told { tell() }
        return next
    }
}
