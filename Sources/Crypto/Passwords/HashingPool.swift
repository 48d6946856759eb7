import Glibc
package import Runtime
import Synchronization

/// A few threads for password hashes, behind a queue that has an end: the one place where work leaves its loop.
///
/// The threads are our own and give way to others, so that loops run first however many people sign in, and no thread of Dispatch is held
/// for the 30 ms that a hash takes. They start when there is work for them, so a pool that is never asked costs nothing. What the queue has no room for
/// is refused at once: to answer "later" costs nothing, to hash what nobody waits for any more costs 30 ms (SEC-20).
package final class HashingPool: Sendable {
    /// The queue has no room.
    package struct Full: Error { package init() {} }

    private let core: Core

    /// - Parameters:
    ///   - threads: how many hashes are made at a time; each core can do one.
    ///   - queue: how many more may wait.
    package init(threads: Int, queue: Int, metrics: Metrics) {
        core = Core(threads: max(1, threads), room: max(1, threads) + max(0, queue), metrics: metrics)
    }

    deinit { core.close() }

    /// Runs `work` on one of the threads; the caller goes on where it was, on its loop. Throws at once when there is no room.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Full) -> Value {
        let outcome: Result<Value, Full> = await withCheckedContinuation { waiting in
            let accepted = core.submit { waiting.resume(returning: .success(work())) }
            if !accepted { waiting.resume(returning: .failure(Full())) }
        }
        return try outcome.get()
    }

    /// Takes no more work, finishes what was accepted, and returns when the last thread is gone.
    package func stop() async {
        await withCheckedContinuation { done in core.close { done.resume() } }
    }

    /// What the threads share. They hold it, not the pool, so that a pool nobody holds ends them.
    private final class Core: @unchecked Sendable {
        // @unchecked Sendable because `bell` is a semaphore, which is made for threads, and the rest is behind `state` or immutable.

        private struct Job {
            let work: @Sendable () -> Void
            let since: MonotonicTime
        }

        private struct State {
            var waiting: [Job] = []
            /// Accepted and not finished.
            var accepted = 0
            /// Threads that run, and those of them at work.
            var threads = 0
            var busy = 0
            var isClosed = false
            var whenGone: [@Sendable () -> Void] = []
        }

        private let state = Mutex(State())
        private let threads: Int
        private let room: Int
        /// Counts what waits, so that threads sleep while there is nothing.
        private let bell = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        private let waited: Histogram
        private let worked: Histogram
        private let refused: Counter

        init(threads: Int, room: Int, metrics: Metrics) {
            self.threads = threads
            self.room = room
            sem_init(bell, 0, 0)
            waited = metrics.histogram("gatehouse_hashing_waiting_seconds", "How long password hashes waited for a thread.")
            worked = metrics.histogram("gatehouse_hashing_seconds", "How long password hashes took, waiting not included.")
            refused = metrics.counter("gatehouse_hashing_refused_total", "Password hashes refused because the queue was full.")
            metrics.gauge("gatehouse_hashing_queue", "Password hashes that wait for a thread.") { [weak self] in
                self?.state.withLock { $0.waiting.count } ?? 0
            }
        }

        deinit {
            sem_destroy(bell)
            bell.deallocate()
        }

        func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
            let accepted = state.withLock { state in
                guard !state.isClosed, state.accepted < room else { return false }
                if state.threads - state.busy <= state.waiting.count, state.threads < threads { startThread(&state) }
                // Without memory for a first thread nobody would ever come for it.
                guard state.threads > 0 else { return false }
                state.accepted += 1
                state.waiting.append(Job(work: work, since: MonotonicTime.read()))
                return true
            }
            if accepted { sem_post(bell) } else { refused.increment() }
            return accepted
        }

        private func startThread(_ state: inout State) {
            guard (try? BackgroundThread.start(name: "hashing.\(state.threads)", { [self] in workUntilClosed() })) != nil
            else { return }
            state.threads += 1
        }

        private func workUntilClosed() {
            while true {
                while sem_wait(bell) != 0 {}
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

        /// Each thread finds the queue empty once, after all that was accepted, and leaves.
        func close(_ whenGone: (@Sendable () -> Void)? = nil) {
            let (toWake, isGone) = state.withLock { state in
                let toWake = state.isClosed ? 0 : state.threads
                state.isClosed = true
                if state.threads > 0, let whenGone { state.whenGone.append(whenGone) }
                return (toWake, state.threads == 0)
            }
            for _ in 0..<toWake { sem_post(bell) }
            if isGone { whenGone?() }
        }
    }
}
