import Logging
import Runtime

// What is done about a server that says nothing any more, or takes no more writes.

extension Database {
    /// Makes sure of the server of a connection that has long been quiet: others may have heard of it, or a new one finds it. A statement
    /// that takes its time looks the same on its own connection.
    func lookForServer(of connection: Connection) {
        let kind = connection.kind
        guard !isClosed, let target, reach(kind).probe == nil else { return }
        if heardServers(kind).contains(connection.assumeIsolated { $0.server }) { return }
        var settings = settings
        settings.connectTimeout = settings.quiet
        let probe = Connection(loop: loop, kind: kind, slot: nil, settings: settings, metrics: metrics, database: self)
        change(kind) { $0.probe = probe }
        loop.atEndOfTurn { [turn] in probe.assumeIsolated { $0.open(target, turn: turn) } }
    }

    /// The connections that take calls.
    func ready(_ kind: Connection.Kind) -> [Connection] {
        (kind == .read ? reads : writes).compactMap { $0 }.filter { $0.assumeIsolated { $0.state == .ready } }
    }

    private func servers(_ kind: Connection.Kind, where condition: @Sendable (isolated Connection) -> Bool) -> Set<String> {
        Set(ready(kind).compactMap { $0.assumeIsolated { condition($0) ? $0.server : nil } })
    }

    private func heardServers(_ kind: Connection.Kind) -> Set<String> {
        servers(kind) { $0.heard + $0.settings.quiet > $0.loop.now }
    }

    /// Takes the outcome of a probe. A refusal is an answer, too: the server is there.
    ///
    /// Where several servers stand by for one another, the one that answers may be another than the one that is awaited: what is asked of
    /// that one has no answer to come.
    func probed(_ probe: Connection, isThere: Bool) {
        let kind = probe.kind
        let answering = probe.assumeIsolated { $0.server }
        change(kind) { $0.probe = nil }
        probe.assumeIsolated { $0.close() }
        if !isThere { passOver(probe) }
        if isClosed || isThere && answering.isEmpty { return }
        var silent = servers(kind) { $0.isSilent }.subtracting(heardServers(kind))
        if isThere { silent.remove(answering) }
        if silent.isEmpty { return }
        let given = ready(kind).filter { silent.contains($0.assumeIsolated { $0.server }) }
        let reason = "the server has fallen silent"
        change(kind) { $0.lastReason = reason }
        if !isThere && given.count == ready(kind).count { failed(kind) }
        for connection in given { connection.assumeIsolated { $0.lose(reason, readsMayRepeat: isThere) } }
    }

    /// Ends the connections for writes that have nothing to do: they lead to a server that takes no writes, and libpq finds the one that
    /// does, where there is one.
    func dropIdleWrites() {
        for slot in pool.idleSlots { closeWrite(slot, "its server takes no writes") }
        leftServer = true
    }

    /// After writes have left a server, another may take them: reads that are asked where writes go follow, or they would miss what is
    /// written there.
    func followWrites() {
        guard leftServer, let target else { return }
        leftServer = false
        guard let asked = settings.keywords(target, for: .read)["target_session_attrs"], ["read-write", "primary"].contains(asked) else {
            return
        }
        retire(ready(.read), "writes go to another server now")
    }

    /// Throws unless the server takes writes: what a balancer wants to know before it sends calls here.
    package func verifyTakesWrites() async throws(PostgresError) {
        let rows = try await withUnsafeContinuation { answer in
            addInFront(Write(statements: ["SELECT current_setting('transaction_read_only') = 'off'"], answer: answer, since: loop.now))
        }.get()
        if try rows.first?.first?.get(0, as: Bool.self) == true { return }
        dropIdleWrites()
        throw .unavailable("the database takes no writes: it is a standby or was made read-only")
    }
}
