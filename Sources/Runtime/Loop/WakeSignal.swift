import Synchronization

/// Wakes one task that waits for work, from anywhere in the process, and tells it where work is, by keys.
///
/// Several signals before the task wakes up count as one.
package final class WakeSignal<Key: Hashable & Sendable>: Sendable {
    /// One element for each `send`, until `finish`; for one reader.
    package let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let keys = Mutex<Set<Key>>([])
    private let finished = Atomic(false)

    package init() {
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Says where new work is; `nil` where no work is new, but the task can do more of it.
    package func send(for key: Key? = nil) {
        if let key { keys.withLock { _ = $0.insert(key) } }
        continuation.yield()
    }

    /// The keys of all signals since the last call.
    package func takeKeys() -> Set<Key> {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }

    /// Ends `signals`; the reader may still get one that was sent before.
    package func finish() {
        finished.store(true, ordering: .releasing)
        continuation.finish()
    }

    package var isFinished: Bool { finished.load(ordering: .acquiring) }
}
