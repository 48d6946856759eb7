package import Curl
package import Runtime

/// Sends messages to relying parties, on the loop and beside the requests that cause them: no answer waits for another server.
package struct BackChannel: Sendable {
    private let loop: Loop
    private let upstream: any Upstream
    private let delivered: Counter
    private let failed: Counter

    /// How long to wait before each further try.
    private static let pauses: [Duration] = [.seconds(2), .seconds(15)]

    package init(loop: Loop, upstream: any Upstream, metrics: Metrics) {
        self.loop = loop
        self.upstream = upstream
        let help = "Logout tokens for relying parties, by outcome."
        delivered = metrics.counter("gatehouse_logout_tokens_total", help, ["outcome": "delivered"])
        failed = metrics.counter("gatehouse_logout_tokens_total", help, ["outcome": "failed"])
    }

    /// Sends a request until the other server accepts it, a few times at most. It is lost when the process ends in the meantime.
    ///
    /// - Parameters:
    ///   - isAccepted: whether a status of the answer says that the message arrived.
    ///   - report: gets the reason of each try that failed.
    package func deliver(
        _ request: OutboundRequest, isAccepted: @escaping @Sendable (Int) -> Bool, report: @escaping @Sendable (String) -> Void
    ) {
        Task(executorPreference: loop) {
            for pause in [.zero] + Self.pauses {
                if pause > .zero { try await Task.sleep(for: pause) }
                do {
                    let response = try await upstream.send(request)
                    if isAccepted(response.status) { return delivered.increment() }
                    report("status \(response.status)")
                } catch {
                    report("\(error)")
                }
            }
            failed.increment()
        }
    }
}
