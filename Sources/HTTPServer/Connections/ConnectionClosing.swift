import Glibc
import Runtime

extension HTTPConnection {
    func expire(_ kind: Deadlines.Kind) {
        guard kind == .body || kind == .header, work != nil else { return close() }
        work?.parser = nil
        refuse(.timedOut)
        flush()
        updateDeadline()
    }

    /// Announces that nothing more will come, and drops what the client still sends. Closing with unread bytes would reset the connection,
    /// and the client might never see the answer. <https://www.rfc-editor.org/rfc/rfc9112#section-9.6>
    func linger() {
        forgetWork()
        state = .lingering
        shutdown(descriptor, Int32(SHUT_WR))
        wait(.read, for: .linger, restarting: true)
    }

    func drop() {
        let count = recv(descriptor, shared.input.baseAddress, shared.input.count, 0)
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { close() }
    }

    /// The server stops: a request that is already in the socket is still answered; an idle connection is closed.
    func closeIfIdle() {
        guard state == .reading, work == nil else { return }
        receive()
        if state == .reading, work == nil { close() }
    }

    func close() {
        guard state != .closed else { return }
        state = .closed
        forgetWork()
        shared.loop.close(descriptor)
        shared.closed(slot, peer)
    }

    private func forgetWork() {
        shared.hold(-(work?.counted ?? 0))
        work = nil
    }
}
