/// Wakes one task that waits for work, from anywhere in the process.
///
/// Several rings before the task wakes up count as one. A ring says that there may be work, but not which: the task looks for it.
package final class Bell: Sendable {
    /// One element for each ring, until `fallSilent`; for one reader.
    package let rings: AsyncStream<Void>
    private let hammer: AsyncStream<Void>.Continuation

    package init() {
        (rings, hammer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func ring() { hammer.yield() }

    /// Ends `rings`.
    package func fallSilent() { hammer.finish() }
}
