/// Wakes one task that waits for work, from anywhere in the process.
///
/// Rings while nobody waits are kept as one. A bell tells that there may be work, not which: who wakes looks for it.
package final class Bell: Sendable {
    /// Every ring, until `fallSilent`; for one reader.
    package let rings: AsyncStream<Void>
    private let hammer: AsyncStream<Void>.Continuation

    package init() {
        (rings, hammer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func ring() { hammer.yield() }

    /// Ends `rings`.
    package func fallSilent() { hammer.finish() }
}
