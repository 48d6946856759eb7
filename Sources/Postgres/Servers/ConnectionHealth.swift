import Logging
import Runtime

/// The state of one kind of connection: a server may accept reads and no writes.
struct ConnectionHealth {
    var outage = Outage()
    var lastReason = ""
    var retry: Timer?
    /// Finds out whether the server is still there when nothing arrives from it.
    var probe: DatabaseConnection?
}

// What happens when connections are lost, and how others take their place.

extension Database {
    func health(_ kind: DatabaseConnection.Kind) -> ConnectionHealth { kind == .read ? reading : writing }

    func change(_ kind: DatabaseConnection.Kind, _ body: (inout ConnectionHealth) -> Void) {
        switch kind {
        case .read: body(&reading)
        case .write: body(&writing)
        }
    }

    /// A connection broke or failed to open; `reads` were waiting for their rows on it.
    func lost(_ connection: DatabaseConnection, wasReady: Bool, reads unanswered: [Read], reason: String) {
        guard let slot = connection.slot else {
            return probed(connection, isThere: !connection.assumeIsolated { $0.ranOutOfTime })
        }
        metrics.lost.increment()
        log.warning(
            wasReady ? "database connection lost" : "cannot connect to the database",
            metadata: ["reason": "\(reason)", "for": "\(connection.kind)s"])
        change(connection.kind) { $0.lastReason = reason }
        switch connection.kind {
        case .read:
            reads[slot] = nil
            if !wasReady { openingReads -= 1 }
        case .write:
            writes[slot] = nil
            pool.vacate(slot)
        }
        countConnections()
        if !wasReady {
            passOver(connection)
            failed(connection.kind)
            if !hasConnection(connection.kind), ConnectionShare.isLimit(reason) { share.ask(for: self, connection.kind) }
        }
        for var read in unanswered {
            read.losses += 1
            // A restarting server cannot explain so many losses: the read itself may end its connections.
            if read.losses > settings.readConnections {
                read.answer.resume(returning: .failure(.unavailable("the connection was lost \(read.losses) times: \(reason)")))
            } else {
                place(read)
            }
        }
        carryOutWrites()
    }

    /// Records a failed attempt, and makes another one after a pause, for all waiting calls. Its result ends the outage or prolongs it.
    func failed(_ kind: DatabaseConnection.Kind) {
        guard health(kind).retry == nil else { return }
        change(kind) { health in
            let delay = health.outage.failed(at: loop.now, chance: .random(in: 0...1))
            health.retry = loop.schedule(after: delay) { [weak self] in
                self?.assumeIsolated { $0.attempt(kind) }
            }
        }
    }

    /// Makes the delayed attempt now, because the other kind of connection has found the server.
    func tryNow(_ kind: DatabaseConnection.Kind) {
        guard !isClosed, let retry = health(kind).retry else { return }
        loop.cancel(retry)
        attempt(kind)
    }

    /// Makes the delayed attempts of both kinds now, because another loop has found the server.
    func tryNow() {
        tryNow(.read)
        tryNow(.write)
    }

    /// When this connection ran out of time, its first host may have used up all of it, so further connections begin with the next of
    /// several hosts.
    func passOver(_ connection: DatabaseConnection) {
        let failure = connection.assumeIsolated { (ranOutOfTime: $0.ranOutOfTime, turn: $0.turn) }
        // When many connections failed in the same way, only the first one changes the turn.
        if failure.ranOutOfTime && failure.turn == turn { turn += 1 }
    }

    private func attempt(_ kind: DatabaseConnection.Kind) {
        change(kind) { $0.retry = nil }
        if !holdsBack(kind) && openOne(kind) { return }
        change(kind) { $0.outage.ended() }
        placeWaiting()
    }

    /// Opens a connection unless one is being opened; `false` when all places are taken.
    private func openOne(_ kind: DatabaseConnection.Kind) -> Bool {
        switch kind {
        case .read:
            if openingReads > 0 { return true }
            guard let slot = reads.firstIndex(where: { $0 == nil }) else { return false }
            openingReads += 1
            reads[slot] = open(.read, slot)
        case .write:
            if pool.count(.opening) > 0 { return true }
            guard let slot = pool.openOne() else { return false }
            writes[slot] = open(.write, slot)
        }
        return true
    }
}
