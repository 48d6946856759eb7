import CCurl
import HTTP
package import Logging
package import Runtime

/// Outbound HTTP of one loop, on one libcurl multi handle.
///
/// `send` checks the URL, makes a `Transfer`, and hands its easy handle to the multi handle; libcurl then says which sockets to
/// watch (`SocketWatch` on the loop) and when to be called (`Timer`), and keeps connections for reuse. A finished transfer resumes
/// its caller. Redirects are never followed and the environment's proxies are ignored; what may be dialled is `DialPolicy`'s matter,
/// what an answer means is the caller's.
package actor HTTPClient: Upstream {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let multi: MultiHandle
    private let settings: TransferSettings
    private let metrics: OutboundMetrics
    private let log: Logger
    private var transfers: [UnsafeMutableRawPointer: Pending] = [:]
    private var sockets: [Int32: SocketWatch] = [:]
    private var timer: Timer?
    private var lastID: UInt64 = 0

    private struct Pending {
        let id: UInt64
        let transfer: Transfer
        let waiter: CheckedContinuation<Outcome, Never>
    }

    private enum Outcome: Sendable {
        case response(OutboundResponse)
        case failure(OutboundError, mayRetry: Bool)
    }

    /// `authorities` is a PEM file to trust in place of the system's store. Throws only when libcurl does not start.
    package init(loop: Loop, policy: DialPolicy, metrics: Metrics, log: Logger, authorities: String? = nil) throws(OutboundError) {
        self.loop = loop
        self.metrics = OutboundMetrics(metrics, loop: loop.index)
        self.log = log
        settings = TransferSettings(policy: policy, authorities: authorities)
        let multi = try MultiHandle()
        self.multi = multi
        multi.setCallbacks(for: Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {
        if let timer { loop.cancel(timer) }
        for descriptor in sockets.keys { loop.unwatch(descriptor) }
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

    // MARK: One attempt

    private func perform(_ request: OutboundRequest, timeout: Duration) async -> Outcome {
        let transfer: Transfer
        do {
            transfer = try Transfer(request, timeout: timeout, settings: settings)
        } catch {
            return .failure(error, mayRetry: false)
        }
        lastID += 1
        let id = lastID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                start(Pending(id: id, transfer: transfer, waiter: waiter))
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func start(_ pending: Pending) {
        // The cancellation handler may have run already and found nothing to cancel.
        guard !Task.isCancelled else { return pending.waiter.resume(returning: .failure(.cancelled, mayRetry: false)) }
        guard curl_multi_add_handle(multi.raw, pending.transfer.handle) == CURLM_OK else {
            return pending.waiter.resume(returning: .failure(.unreachable("libcurl refuses a transfer"), mayRetry: false))
        }
        transfers[pending.transfer.handle] = pending
        drive(CURL_SOCKET_TIMEOUT, 0)
    }

    private func cancel(_ id: UInt64) {
        guard let pending = transfers.values.first(where: { $0.id == id }) else { return }
        finish(pending.transfer.handle) { _ in .failure(.cancelled, mayRetry: false) }
    }

    /// Lets libcurl work on one descriptor, or on whatever is due, then resumes who has an answer.
    private func drive(_ descriptor: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        _ = curl_multi_socket_action(multi.raw, descriptor, events, &running)
        var waiting: Int32 = 0
        while let message = curl_multi_info_read(multi.raw, &waiting)?.pointee {
            guard message.msg == CURLMSG_DONE, let handle = message.easy_handle else { continue }
            let code = message.data.result
            finish(handle) { transfer in
                if code == CURLE_OK { return .response(transfer.response()) }
                return .failure(transfer.error(code), mayRetry: transfer.mayRetry(code))
            }
        }
    }

    private func finish(_ handle: UnsafeMutableRawPointer, _ outcome: (Transfer) -> Outcome) {
        guard let pending = transfers.removeValue(forKey: handle) else { return }
        let outcome = outcome(pending.transfer)
        _ = curl_multi_remove_handle(multi.raw, handle)
        if case .failure(.refusedAddress, _) = outcome, let address = pending.transfer.refused {
            log.warning(
                "refused to dial an address; outbound.allow in the configuration lists exceptions",
                metadata: ["address": .stringConvertible(address)])
        }
        pending.waiter.resume(returning: outcome)
    }

    // MARK: What libcurl asks of the loop

    /// Watches `descriptor` for what libcurl waits for on it, from now on.
    func watch(_ descriptor: curl_socket_t, _ wish: Int32) {
        if wish == CURL_POLL_REMOVE {
            sockets[descriptor] = nil
            return loop.unwatch(descriptor)
        }
        var interest: Interest = []
        if wish != CURL_POLL_OUT { interest.insert(.read) }
        if wish != CURL_POLL_IN { interest.insert(.write) }
        do {
            if sockets[descriptor] != nil { return try loop.rewatch(descriptor, for: interest) }
            let watch = SocketWatch(descriptor: descriptor, client: self)
            try loop.watch(descriptor, for: interest, watch)
            sockets[descriptor] = watch
        } catch {
            // The transfer then ends by its own timeout.
            log.error("cannot watch a socket", metadata: ["reason": .stringConvertible(error)])
        }
    }

    func ready(_ descriptor: Int32, _ interest: Interest) {
        var events: Int32 = 0
        if !interest.isDisjoint(with: [.read, .readClosed, .hangUp]) { events |= CURL_CSELECT_IN }
        if interest.contains(.write) { events |= CURL_CSELECT_OUT }
        if interest.contains(.failed) { events |= CURL_CSELECT_ERR }
        drive(descriptor, events)
    }

    /// Calls libcurl after `milliseconds`, never if negative; replaces the last such wish.
    func arm(_ milliseconds: Int) {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.assumeIsolated { $0.timeIsUp() }
        }
    }

    private func timeIsUp() {
        timer = nil
        drive(CURL_SOCKET_TIMEOUT, 0)
    }
}
