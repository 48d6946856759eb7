import DequeModule
import Runtime

/// A call that waits for a connection.
protocol Waiting {
    /// The time of the call.
    var since: MonotonicTime { get }
}

extension Deque where Element: Waiting {
    /// The time of the oldest waiting call. It need not be the first in the queue, since calls that run again are put before or behind
    /// others.
    var oldest: MonotonicTime? { lazy.map(\.since).min() }

    /// Takes out all calls that have waited for `patience`.
    mutating func expire(at now: MonotonicTime, patience: Duration) -> Deque<Element> {
        let isDue = { (element: Element) in element.since + patience <= now }
        let due = filter(isDue)
        if !due.isEmpty { removeAll(where: isDue) }
        return due
    }
}
