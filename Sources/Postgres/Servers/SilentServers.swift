import Logging
import Runtime

// What happens when a server does not answer any more, or takes no more writes.

extension Database {
    /// Finds out whether the server of a silent connection is still there: another connection may have heard from it, or a new one finds
    /// out. On its own connection, a slow statement looks the same.
    func lookForServer(of connection: DatabaseConnection) {
        let kind = connection.kind
        guard !isClosed, let target, health(kind).probe == nil else { return }
        if heardServers(kind).contains(connection.assumeIsolated { $0.server }) { return }
        var settings = settings
        settings.connectTimeout = settings.quiet
        let probe = DatabaseConnection(loop: loop, kind: kind, slot: nil, settings: settings, metrics: metrics, database: self)
        change(kind) { $0.probe = probe }
        loop.atEndOfTurn { [turn] in probe.assumeIsolated { $0.open(target, turn: turn) } }
    }

    /// The connections that take calls.
    func ready(_ kind: DatabaseConnection.Kind) -> [DatabaseConnection] {
        (kind == .read ? reads : writes).compactMap { $0 }.filter { $0.assumeIsolated { $0.state == .ready } }
    }

    private func servers(_ kind: DatabaseConnection.Kind, where condition: @Sendable (isolated DatabaseConnection) -> Bool) -> Set<String> {
        Set(ready(kind).compactMap { $0.assumeIsolated { condition($0) ? $0.server : nil } })
    }

    private func heardServers(_ kind: DatabaseConnection.Kind) -> Set<String> {
        servers(kind) { $0.heard + $0.settings.quiet > $0.loop.now }
    }

    /// Handles the result of a probe. A refusal is an answer, too: the server is there.
    ///
    /// With several servers, the one that answers may not be the one that is awaited. Then the calls that wait for that one will not be
    /// answered.
    func probed(_ probe: DatabaseConnection, isThere: Bool) {
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
        let reason = "the server does not answer any more"
        change(kind) { $0.lastReason = reason }
        if !isThere && given.count == ready(kind).count { failed(kind) }
        for connection in given { connection.assumeIsolated { $0.lose(reason, readsMayRepeat: isThere) } }
    }

    /// Ends the idle connections for writes. Their server takes no writes, and libpq finds the server that does, if there is one.
    func dropIdleWrites() {
        for slot in pool.idleSlots { closeWrite(slot, "its server takes no writes") }
        leftServer = true
    }

    /// After writes have left a server, another server may take them. Reads that are configured to go to the server for writes must
    /// follow; otherwise they would miss what is written there.
    func followWrites() {
        guard leftServer, let target else { return }
        leftServer = false
        guard let asked = settings.keywords(target, for: .read)["target_session_attrs"], ["read-write", "primary"].contains(asked) else {
            return
        }
        retire(ready(.read), "writes go to another server now")
    }

    /// Throws unless the server takes writes. Load balancers ask this before they send calls here.
    package func verifyTakesWrites() async throws(PostgresError) {
        let rows = try await withUnsafeContinuation { answer in
            let question: SQL = "SELECT current_setting('transaction_read_only') = 'off'"
            addInFront(Write(statements: [question], answer: answer, since: loop.now))
        }.get()
        if try rows.first?.first?.value(as: Bool.self) == true { return }
        dropIdleWrites()
        throw .unavailable("the database takes no writes: it is a standby or was made read-only")
    }
}
