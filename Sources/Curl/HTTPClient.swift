import CCurl
import HTTP
package import Logging
package import Runtime
import Text

/// The outbound HTTP of one loop.
///
/// `send` checks the URL, makes an `HTTPTransfer`, and lets `Transfers` run it. Redirects are never followed, and the proxies in the
/// environment are ignored. `DialPolicy` decides which addresses may be called; the caller decides what an answer means.
package final class HTTPClient: Upstream {
    /// The most connections of one client at a time, those that are kept for reuse among them.
    package static let mostConnections = 128

    /// Used by other protocols on the same loop.
    package let transfers: Transfers
    private let settings: TransferSettings
    private let metrics: OutboundMetrics
    private let log: Logger

    /// Throws only when libcurl does not start.
    ///
    /// - Parameter authorities: a PEM file to trust instead of the system's.
    package init(loop: Loop, policy: DialPolicy, metrics: Metrics, log: Logger, authorities: String? = nil) throws(OutboundError) {
        transfers = try Transfers(loop: loop, log: log)
        settings = TransferSettings(policy: policy, authorities: authorities)
        self.metrics = OutboundMetrics(metrics, loop: loop.index)
        self.log = log
    }

    /// Sends `request` and waits for the whole answer. When the connection of a GET fails, it is tried once more within the time that is
    /// left.
    package func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        let start = MonotonicTime.read()
        var outcome = await perform(request, timeout: request.timeout)
        if case .failure(_, mayRetry: true) = outcome, request.method == .get {
            let spent = Duration.microseconds(Int64(MonotonicTime.read().microseconds(since: start)))
            if spent < request.timeout { outcome = await perform(request, timeout: request.timeout - spent) }
        }
        metrics.time.record(microseconds: MonotonicTime.read().microseconds(since: start))
        switch outcome {
        case .response(let response):
            metrics.answered.increment()
            return response
        case .failure(let error, _):
            metrics.failed.increment()
            throw error
        }
    }

    private func perform(_ request: OutboundRequest, timeout: Duration) async -> HTTPJob.Outcome {
        await transfers.run(HTTPJob(request: request, timeout: timeout, settings: settings, log: log))
    }
}

/// One attempt to send a request.
private struct HTTPJob: TransferJob {
    let request: OutboundRequest
    let timeout: Duration
    let settings: TransferSettings
    let log: Logger

    enum Outcome: Sendable {
        case response(OutboundResponse)
        case failure(OutboundError, mayRetry: Bool)
    }

    func begin() throws(OutboundError) -> HTTPTransfer { try HTTPTransfer(request, timeout: timeout, settings: settings) }

    func refused(_ error: OutboundError) -> Outcome { .failure(error, mayRetry: false) }

    func outcome(of transfer: HTTPTransfer, _ end: TransferEnd) -> Outcome {
        switch end {
        case .cancelled: return .failure(.cancelled, mayRetry: false)
        case .notTaken: return .failure(.unreachable("libcurl refuses a transfer"), mayRetry: false)
        case .done(CURLE_OK): return .response(transfer.response())
        case .done(let code):
            let error = transfer.error(code)
            if error == .refusedAddress, let address = transfer.refused {
                log.warning(
                    "refused to dial an address; outbound.allow in the configuration lists exceptions",
                    metadata: ["address": .stringConvertible(address)])
            }
            return .failure(error, mayRetry: transfer.mayRetry(code))
        }
    }
}
