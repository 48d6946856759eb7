import CSystem
import Glibc

/// A POSIX thread of our own, for long computations that would hold up a loop or starve Dispatch's threads.
package enum BackgroundThread {
    /// Runs `body` on a new thread, which ends when `body` does. Signals are left to the other threads.
    ///
    /// - Parameters:
    ///   - name: what `top -H` and `perf` show; the kernel keeps 15 bytes.
    ///   - nice: how far the thread gives way to others, 0 (not at all) to 19.
    package static func start(name: String, nice: Int32, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the mask of the one that makes it.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), nice: nice, body: body))
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

    /// Lets other threads run first.
    package static func yield() { sched_yield() }

    private final class Start: Sendable {
        let name: String
        let nice: Int32
        let body: @Sendable () -> Void

        init(name: String, nice: Int32, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.nice = nice
            self.body = body
        }

        func run() {
            pthread_setname_np(pthread_self(), name)
            // On Linux this is the calling thread's own niceness: https://man7.org/linux/man-pages/man2/setpriority.2.html
            setpriority(Int32(PRIO_PROCESS.rawValue), 0, nice)
            body()
        }
    }
}
