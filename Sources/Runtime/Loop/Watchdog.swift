import Dispatch
import Glibc

/// Acts after a delay, on a thread of its own, whatever loops, tasks and Dispatch's threads are busy with: the last resort of a stop that does
/// not come to its end (SEC-49).
package final class Watchdog: Sendable {
    private let leash = DispatchSemaphore(value: 0)

    /// The thread is made at once, so that it is there when no other can be.
    ///
    /// - Parameter bark: runs once, `delay` after `begin()`.
    package init(after delay: Duration, _ bark: @escaping @Sendable () -> Void) throws(SystemError) {
        try BackgroundThread.start(name: "watchdog", yieldsToOthers: false) { [leash] in
            leash.wait()
            let begun = MonotonicTime.read()
            while true {
                let left = delay.microseconds - Int64(MonotonicTime.read().microseconds(since: begun))
                guard left > 0 else { break }
                // Never more than a second: `usleep` need not take it.
                usleep(useconds_t(min(left, 999_999)))
            }
            bark()
        }
    }

    /// Starts the delay; once is enough.
    package func begin() { leash.signal() }
}
