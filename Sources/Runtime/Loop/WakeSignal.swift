/// Wakes one task that waits for work, from anywhere in the process.
///
/// Several signals before the task wakes up count as one. A signal says that there may be work, but not which: the task looks for it.
package final class WakeSignal: Sendable {
    /// One element for each `send`, until `finish`; for one reader.
    package let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func send() { continuation.yield() }

    /// Ends `signals`.
    package func finish() { continuation.finish() }
}
