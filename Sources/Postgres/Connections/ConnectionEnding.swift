import Runtime

// The end of a connection: after silence, when it breaks, or on purpose.

extension DatabaseConnection {
    /// Checks again at the time when the silence would have become long, as long as an answer is awaited.
    func watchSilence() {
        if deadline != nil { return }
        let passed = Duration.microseconds(Int64(clamping: loop.now.microseconds(since: quietSince)))
        let pause = min(settings.quiet, settings.statementTimeout + settings.silence)
        deadline = loop.schedule(after: passed < pause ? pause - passed : pause) { [weak self] in
            self?.assumeIsolated { $0.lookForSilence() }
        }
    }

    /// Whether an answer has been awaited for a long time, and nothing has arrived.
    var isSilent: Bool { pipeline.isAwaiting && loop.now >= quietSince + settings.quiet }

    /// Gives the connection up when nothing has arrived for longer than a statement may take. Long before that, it lets the database find
    /// out whether the server still answers.
    private func lookForSilence() {
        deadline = nil
        guard pipeline.isAwaiting else { return }
        let limit = settings.statementTimeout + settings.silence
        if loop.now >= quietSince + limit { return lose("no answer within \(limit)") }
        if isSilent { database?.assumeIsolated { $0.lookForServer(of: self) } }
        watchSilence()
    }

    /// Ends the connection and tells the database, which sends the reads again on another connection. It is unknown whether the writes
    /// happened.
    ///
    /// - Parameter readsMayRepeat: whether the reads may succeed on another connection.
    func lose(_ reason: String, readsMayRepeat: Bool = true) {
        guard state != .closed else { return }
        let wasReady = state == .ready
        end()
        var reads = takeReads(failingWrites: "the connection was lost: \(reason)")
        if database == nil || !readsMayRepeat {
            for read in reads { read.answer.resume(returning: .failure(.unavailable("the connection was lost: \(reason)"))) }
            reads = []
        }
        database?.assumeIsolated { $0.lost(self, wasReady: wasReady, reads: reads, reason: reason) }
    }

    /// Ends the connection for good; no other takes its place.
    func close() {
        for read in retire() { read.answer.resume(returning: .failure(.unavailable("closed"))) }
    }

    /// Ends the connection for good, and returns the reads without an answer, for another connection.
    func retire() -> [Read] {
        guard state != .closed else { return [] }
        end()
        return takeReads(failingWrites: "closed")
    }

    /// Takes out everything that waits for an answer.
    private func takeReads(failingWrites reason: String) -> [Read] {
        var reads: [Read] = []
        for waiter in waiters.removeAll() {
            switch waiter {
            case .guards: break
            case .read(let read): reads.append(read)
            case .write(let batch): batch.fail(.unavailable(reason))
            }
        }
        return reads
    }

    private func end() {
        state = .closed
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        unwatch()
        wire = nil
        continueCopy()
    }

    func unwatch() {
        if socket >= 0 { loop.unwatch(socket) }
        socket = -1
    }
}
