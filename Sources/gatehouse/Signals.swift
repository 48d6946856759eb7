import Dispatch
import Glibc

/// Delivers signals as values, one after another.
enum Signals {
    /// - Parameter arrived: called at once, on a queue that nothing else uses, however busy tasks and loops are.
    static func stream(_ signals: [Int32], arrived: @escaping @Sendable (Int32) -> Void) -> AsyncStream<Int32> {
        let queue = DispatchQueue(label: "signals")
        return AsyncStream { continuation in
            let sources = signals.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    arrived(number)
                    continuation.yield(number)
                }
                source.resume()
                return Source(source)
            }
            continuation.onTermination = { _ in for source in sources { source.cancel() } }
        }
    }

    private final class Source: @unchecked Sendable {
        // @unchecked Sendable because cancelling, the one call made, is safe from any thread.
        private let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
        func cancel() { source.cancel() }
    }
}
