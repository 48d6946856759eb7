import Logging
import Runtime

// What is done about a server that says nothing any more, or takes no more writes.

extension Database {
    /// Makes sure of the server when a connection of this kind has long been quiet: others may have heard of it, or a new one finds it. A
    /// statement that takes its time looks the same on its own connection.
    func lookForServer(_ kind: Connection.Kind) {
        guard !isClosed, let target, reach(kind).probe == nil, !wasHeard(kind, after: settings.quiet) else { return }
        var settings = settings
        settings.connectTimeout = settings.quiet
        let probe = Connection(loop: loop, kind: kind, slot: nil, settings: settings, metrics: metrics, database: self)
        change(kind) { $0.probe = probe }
        loop.atEndOfTurn { [turn] in probe.assumeIsolated { $0.open(target, turn: turn) } }
    }

    private func connections(_ kind: Connection.Kind) -> [Connection] {
        (kind == .read ? reads : writes).compactMap { $0 }
    }

    private func wasHeard(_ kind: Connection.Kind, after pause: Duration) -> Bool {
        connections(kind).contains { $0.assumeIsolated { $0.state == .ready && $0.heard + pause > loop.now } }
    }

    /// What became of a probe. A refusal is an answer, too: the server is there.
    func probed(_ probe: Connection, isThere: Bool) {
        let kind = probe.kind
        change(kind) { $0.probe = nil }
        probe.assumeIsolated { $0.close() }
        if !isThere { passOver(probe) }
        if isThere || isClosed || wasHeard(kind, after: settings.quiet) { return }
        let reason = "the server has fallen silent"
        change(kind) { $0.lastReason = reason }
        failed(kind)
        for connection in connections(kind) {
            connection.assumeIsolated { if $0.state == .ready { $0.lose(reason, readsMayRepeat: false) } }
        }
    }

    /// Ends the connections for writes that have nothing to do: they lead to a server that takes no writes, and libpq finds the one that
    /// does, where there is one.
    func dropIdleWrites() {
        for slot in pool.idleSlots {
            writes[slot]?.assumeIsolated { $0.close() }
            writes[slot] = nil
            pool.vacate(slot)
        }
        countConnections()
    }

    /// Throws unless the server takes writes: what a balancer wants to know before it sends calls here.
    package func verifyTakesWrites() async throws(PostgresError) {
        let rows = try await withUnsafeContinuation { answer in
            addInFront(Write(statements: ["SELECT current_setting('transaction_read_only') = 'on'"], answer: answer, since: loop.now))
        }.get()
        guard try rows.first?.first?.get(0, as: Bool.self) != false else { return }
        dropIdleWrites()
        throw .unavailable("the database takes no writes: it is a standby or was made read-only")
    }
}
