import Glibc
package import Runtime
import Synchronization

/// A few threads for password hashes, behind a queue of limited length. This is the only place where work leaves its loop.
///
/// The threads belong to the pool and give way to other threads, so that loops run first however many people sign in, and a hash of 30 ms
/// does not occupy a thread of Dispatch. They start when there is work, so an unused pool costs nothing. Work for which the queue has no
/// room is refused at once: that costs nothing, while a hash that no client waits for any more costs 30 ms (SEC-20).
package final class HashingPool: Sendable {
    /// The queue has no room.
    package struct Full: Error { package init() {} }

    private let core: Core

    /// - Parameters:
    ///   - threads: how many hashes are computed at the same time; each core can do one.
    ///   - queue: how many more may wait.
    package init(threads: Int, queue: Int, metrics: Metrics) {
        core = Core(threads: max(1, threads), room: max(1, threads) + max(0, queue), metrics: metrics)
    }

    deinit { core.close() }

    /// Runs `work` on one of the threads; then the caller continues on its own loop. Throws at once when the queue is full.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Full) -> Value {
        let outcome: Result<Value, Full> = await withCheckedContinuation { waiting in
            let accepted = core.submit { waiting.resume(returning: .success(work())) }
            if !accepted { waiting.resume(returning: .failure(Full())) }
        }
        return try outcome.get()
    }

    /// Takes no more work, finishes what was accepted, and returns when the last thread has ended.
    package func stop() async {
        await withCheckedContinuation { done in core.close { done.resume() } }
    }

    /// The state that the threads share. They hold it and not the pool, so that they end when the pool is released.
    private final class Core: @unchecked Sendable {
        // @unchecked Sendable because `jobsWaiting` is a semaphore, which is made for threads, and the rest is behind `state` or immutable.

        private struct Job {
            let work: @Sendable () -> Void
            let since: MonotonicTime
        }

        private struct State {
            var waiting: [Job] = []
            /// The number of jobs that were accepted and are not finished.
            var accepted = 0
            /// The number of threads, and of those that are working.
            var threads = 0
            var busy = 0
            var isClosed = false
            var whenGone: [@Sendable () -> Void] = []
        }

        private let state = Mutex(State())
        private let threads: Int
        private let room: Int
        /// Counts waiting jobs, so that threads sleep while there is nothing to do.
        private let jobsWaiting = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        private let waited: Histogram
        private let worked: Histogram
        private let refused: Counter

        init(threads: Int, room: Int, metrics: Metrics) {
            self.threads = threads
            self.room = room
            sem_init(jobsWaiting, 0, 0)
            waited = metrics.histogram("gatehouse_hashing_waiting_seconds", "How long password hashes waited for a thread.")
            worked = metrics.histogram("gatehouse_hashing_seconds", "How long password hashes took, waiting not included.")
            refused = metrics.counter("gatehouse_hashing_refused_total", "Password hashes refused because the queue was full.")
            metrics.gauge("gatehouse_hashing_queue", "Password hashes that wait for a thread.") { [weak self] in
                self?.state.withLock { $0.waiting.count } ?? 0
            }
        }

        deinit {
            sem_destroy(jobsWaiting)
            jobsWaiting.deallocate()
        }

        func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
            let accepted = state.withLock { state in
                guard !state.isClosed, state.accepted < room else { return false }
                if state.threads - state.busy <= state.waiting.count, state.threads < threads { startThread(&state) }
                // Without memory for a first thread, the job would never be done.
                guard state.threads > 0 else { return false }
                state.accepted += 1
                state.waiting.append(Job(work: work, since: MonotonicTime.read()))
                return true
            }
            if accepted { sem_post(jobsWaiting) } else { refused.increment() }
            return accepted
        }

        private func startThread(_ state: inout State) {
            guard (try? BackgroundThread.start(name: "hashing.\(state.threads)", { [self] in workUntilClosed() })) != nil
            else { return }
            state.threads += 1
        }

        private func workUntilClosed() {
            while true {
                while sem_wait(jobsWaiting) != 0 {}
                let job = state.withLock { state -> Job? in
                    guard !state.waiting.isEmpty else { return nil }
                    state.busy += 1
                    return state.waiting.removeFirst()
                }
                guard let job else { return leave() }
                let began = MonotonicTime.read()
                waited.record(microseconds: began.microseconds(since: job.since))
                job.work()
                worked.record(microseconds: MonotonicTime.read().microseconds(since: began))
                state.withLock { state in
                    state.busy -= 1
                    state.accepted -= 1
                }
            }
        }

        private func leave() {
            let told = state.withLock { state in
                state.threads -= 1
                defer { if state.threads == 0 { state.whenGone = [] } }
                return state.threads == 0 ? state.whenGone : []
            }
            for tell in told { tell() }
        }

        /// Makes each thread find the queue empty once, after all accepted jobs, and end.
        func close(_ whenGone: (@Sendable () -> Void)? = nil) {
            let (toWake, isGone) = state.withLock { state in
                let toWake = state.isClosed ? 0 : state.threads
                state.isClosed = true
                if state.threads > 0, let whenGone { state.whenGone.append(whenGone) }
                return (toWake, state.threads == 0)
            }
            for _ in 0..<toWake { sem_post(jobsWaiting) }
            if isGone { whenGone?() }
        }
    }
}
