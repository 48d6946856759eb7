import Glibc

extension HTTPConnection {
    /// Sends the content of the shared output buffer, and keeps what the socket does not take.
    func flush() {
        let bytes = shared.output.bytes
        guard !bytes.isEmpty, state != .closed else { return }
        defer { shared.output.removeAll() }
        if isBlocked {
            work?.unsent.append(contentsOf: bytes)
            return
        }
        let sent = send(bytes)
        if sent < 0 { close() } else if sent < bytes.count { makeWork().unsent = Array(bytes[sent...]) }
    }

    /// The number of bytes that the socket took; -1 when it is broken.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            if errno != EINTR { return errno == EAGAIN ? 0 : -1 }
        }
    }

    /// Sends what the socket did not take before, then goes on.
    func resume() {
        guard let work else { return }
        let sent = work.unsent.withUnsafeBytes { send($0) }
        guard sent >= 0 else { return close() }
        work.unsent.removeFirst(sent)
        guard work.unsent.isEmpty else { return updateDeadline() }
        work.unsent = []
        goOn()
    }
}
