import Runtime

// How a connection is given up: after silence, when it breaks, or by choice.

extension Connection {
    /// Looks again when it would have been quiet for long, as long as anything is awaited.
    func watchSilence() {
        if deadline != nil { return }
        let passed = Duration.microseconds(Int64(clamping: loop.now.microseconds(since: quietSince)))
        let pause = min(settings.quiet, settings.statementTimeout + settings.silence)
        deadline = loop.schedule(after: passed < pause ? pause - passed : pause) { [weak self] in
            self?.assumeIsolated { $0.lookForSilence() }
        }
    }

    /// Whether something has been awaited for long, and nothing has come.
    var isSilent: Bool { pipeline.isAwaiting && loop.now >= quietSince + settings.quiet }

    /// Gives the connection up when nothing has come for longer than a statement may take; long before that, has the server looked for.
    private func lookForSilence() {
        deadline = nil
        guard pipeline.isAwaiting else { return }
        let limit = settings.statementTimeout + settings.silence
        if loop.now >= quietSince + limit { return lose("no answer within \(limit)") }
        if isSilent { database?.assumeIsolated { $0.lookForServer(of: self) } }
        watchSilence()
    }

    /// Ends the connection and tells the database, which sends the reads again elsewhere; what was written may have happened or not.
    ///
    /// - Parameter readsMayRepeat: whether another connection may do better.
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

    /// Ends the connection for good, without another in its place.
    func close() {
        for read in retire() { read.answer.resume(returning: .failure(.unavailable("closed"))) }
    }

    /// Ends the connection for good; what it gives are the reads without an answer, for another connection.
    func retire() -> [Read] {
        guard state != .closed else { return [] }
        end()
        return takeReads(failingWrites: "closed")
    }

    /// Takes out everything that awaits an answer.
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
    }

    func unwatch() {
        if socket >= 0 { loop.unwatch(socket) }
        socket = -1
    }
}
