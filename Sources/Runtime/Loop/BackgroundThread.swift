import CSystem
import Glibc

/// A separate POSIX thread, for work that would hold up a loop or keep Dispatch's threads busy: long computations and calls that block.
package enum BackgroundThread {
    /// Runs `body` on a new thread, which ends when `body` returns. Signals go to other threads.
    ///
    /// - Parameter name: the name that `top -H` and `perf` show; the kernel keeps 15 bytes.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the mask of the thread that creates it.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, start.toOpaque())
        if code != 0 {
            start.release()
            throw SystemError("pthread_create", code: code)
        }
    }

    /// Makes this thread give way to others of its scheduling group that want its core, for long computations (docs/adr/0011). It may do so
    /// further later, but cannot take it back.
    ///
    /// - Parameter niceness: what is added to the thread's niceness, which is 19 at most. Beside a thread that never rests, one that is nicer by 5
    ///   gets a quarter of the core, one that is nicer by 19 a seventieth.
    package static func giveWay(by niceness: Int32) {
        let niceness = min(19, getpriority(Int32(PRIO_PROCESS.rawValue), 0) + niceness)
        // Besides the smaller share, it takes the smallest time slice, 100 µs: some kernels let a thread finish its slice before another one
        // gets the core, so a thread that wakes up waits for that long.
        if set_batch_scheduling_of_this_thread(niceness, 100_000) != 0 {
            // Some filters of system calls do not know this one.
            setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
        }
    }

    /// Lets other threads run first.
    package static func yield() { sched_yield() }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            pthread_setname_np(pthread_self(), name)
            body()
        }
    }
}
