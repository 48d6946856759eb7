import CCurl
import Logging
package import Runtime

/// Runs the transfers of one loop, whatever their protocol, on one libcurl multi handle.
///
/// `run` adds a transfer's easy handle to the multi handle. libcurl then says which sockets to watch (`SocketWatch` on the loop) and when
/// to be called (`Timer`), and keeps connections for reuse. When a transfer has finished, its caller resumes.
package actor Transfers {
    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let multi: MultiHandle
    private let log: Logger
    private var pending: [UnsafeMutableRawPointer: Pending] = [:]
    private var sockets: [Int32: SocketWatch] = [:]
    private var timer: Timer?
    private var lastID: UInt64 = 0

    private struct Pending {
        let id: UInt64
        let transfer: Transfer
        let finish: (TransferEnd) -> Void
    }

    /// Throws only when libcurl does not start.
    init(loop: Loop, log: Logger) throws(OutboundError) {
        self.loop = loop
        self.log = log
        let multi = try MultiHandle()
        self.multi = multi
        multi.setCallbacks(for: Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {
        if let timer { loop.cancel(timer) }
        for descriptor in sockets.keys { loop.unwatch(descriptor) }
    }

    /// Runs one transfer to its end.
    func run<Job: TransferJob>(_ job: Job) async -> Job.Outcome {
        let transfer: Job.Work
        do { transfer = try job.begin() } catch { return job.refused(error) }
        lastID += 1
        let id = lastID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                start(Pending(id: id, transfer: transfer) { waiter.resume(returning: job.outcome(of: transfer, $0)) })
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func start(_ work: Pending) {
        // The cancellation handler may have run already, when there was nothing to cancel yet.
        guard !Task.isCancelled else { return work.finish(.cancelled) }
        guard curl_multi_add_handle(multi.raw, work.transfer.handle) == CURLM_OK else { return work.finish(.notTaken) }
        pending[work.transfer.handle] = work
        drive(CURL_SOCKET_TIMEOUT, 0)
    }

    private func cancel(_ id: UInt64) {
        guard let work = pending.values.first(where: { $0.id == id }) else { return }
        finish(work.transfer.handle, .cancelled)
    }

    /// Lets libcurl work on one descriptor, or on everything that is due, then resumes the callers whose transfers have ended.
    private func drive(_ descriptor: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        _ = curl_multi_socket_action(multi.raw, descriptor, events, &running)
        var waiting: Int32 = 0
        while let message = curl_multi_info_read(multi.raw, &waiting)?.pointee {
            guard message.msg == CURLMSG_DONE, let handle = message.easy_handle else { continue }
            finish(handle, .done(message.data.result))
        }
    }

    private func finish(_ handle: UnsafeMutableRawPointer, _ end: TransferEnd) {
        guard let work = pending.removeValue(forKey: handle) else { return }
        // Information about the answer must be read while the handle is still part of the multi handle.
        defer { _ = curl_multi_remove_handle(multi.raw, handle) }
        work.finish(end)
    }

    // MARK: What libcurl asks of the loop

    /// Watches `descriptor` for the events that libcurl waits for, from now on.
    func watch(_ descriptor: curl_socket_t, _ activity: Int32) {
        if activity == CURL_POLL_REMOVE {
            sockets[descriptor] = nil
            return loop.unwatch(descriptor)
        }
        var interest: Interest = []
        if activity != CURL_POLL_OUT { interest.insert(.read) }
        if activity != CURL_POLL_IN { interest.insert(.write) }
        do {
            if sockets[descriptor] != nil { return try loop.rewatch(descriptor, for: interest) }
            let watch = SocketWatch(descriptor: descriptor, transfers: self)
            try loop.watch(descriptor, for: interest, watch)
            sockets[descriptor] = watch
        } catch {
            // The transfer then ends by its own time limit.
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

    /// Calls libcurl after `milliseconds`, or never if it is negative. Replaces the previous request of this kind.
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

/// The way in which a transfer ended.
enum TransferEnd {
    case done(CURLcode)
    case cancelled
    /// libcurl could not accept it.
    case notTaken
}

/// A transfer to run, and the meaning of its end for the caller.
protocol TransferJob: Sendable {
    associatedtype Work: Transfer
    associatedtype Outcome: Sendable

    /// Sets up the transfer, on the loop. Throws when it must not begin at all.
    func begin() throws(OutboundError) -> Work
    func outcome(of transfer: Work, _ end: TransferEnd) -> Outcome
    func refused(_ error: OutboundError) -> Outcome
}
