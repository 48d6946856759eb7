import CCurl
import HTTP
package import Logging
package import Runtime
import Text

/// Outbound HTTP of one loop.
///
/// `send` checks the URL, makes an `HTTPTransfer`, and has `Transfers` run it. Redirects are never followed and the environment's proxies are
/// ignored; what may be dialled is `DialPolicy`'s matter, what an answer means is the caller's.
package final class HTTPClient: Upstream {
    /// For other protocols on the same loop.
    package let transfers: Transfers
    private let settings: TransferSettings
    private let metrics: OutboundMetrics
    private let log: Logger

    /// `authorities` is a PEM file to trust in place of the system's store. Throws only when libcurl does not start.
    package init(loop: Loop, policy: DialPolicy, metrics: Metrics, log: Logger, authorities: String? = nil) throws(OutboundError) {
        transfers = try Transfers(loop: loop, log: log)
        settings = TransferSettings(policy: policy, authorities: authorities)
        self.metrics = OutboundMetrics(metrics, loop: loop.index)
        self.log = log
    }

    /// Sends `request` and waits for the whole answer. A GET whose connection fails is tried once more in what is left of its time.
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

/// One attempt at a request.
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
