import Dispatch
import Glibc

/// Runs an action after a delay, on a separate thread, even if all loops, tasks and Dispatch's threads are busy. It ends a process whose
/// stop takes too long (SEC-49).
package final class Watchdog: Sendable {
    private let started = DispatchSemaphore(value: 0)

    /// The thread is started at once, so that it exists when no other thread can be started.
    ///
    /// - Parameter onTimeout: runs once, `delay` after `begin()`.
    package init(after delay: Duration, _ onTimeout: @escaping @Sendable () -> Void) throws(SystemError) {
        try BackgroundThread.start(name: "watchdog") { [started] in
            started.wait()
            let begun = MonotonicTime.read()
            while true {
                let left = delay.microseconds - Int64(MonotonicTime.read().microseconds(since: begun))
                guard left > 0 else { break }
                // Never more than a second: `usleep` need not take it.
                usleep(useconds_t(min(left, 999_999)))
            }
            onTimeout()
        }
    }

    /// Starts the delay. Further calls change nothing.
    package func begin() { started.signal() }
}
