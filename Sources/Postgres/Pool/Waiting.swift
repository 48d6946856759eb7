import DequeModule
import Runtime

/// A call that waits for a connection.
protocol Waiting {
    /// When it was asked for.
    var since: MonotonicTime { get }
}

extension Deque where Element: Waiting {
    /// Since when the one that came first has waited. It need not be the first in the line: what has to run again goes before or behind
    /// others by rules of its own.
    var oldest: MonotonicTime? { lazy.map(\.since).min() }

    /// Takes out all that have waited for `patience`.
    mutating func expire(at now: MonotonicTime, patience: Duration) -> Deque<Element> {
        let isDue = { (element: Element) in element.since + patience <= now }
        let due = filter(isDue)
        if !due.isEmpty { removeAll(where: isDue) }
        return due
    }
}
