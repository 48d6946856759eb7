import Glibc
import Runtime

/// One connection on a loop, from its opening to its end. It carries out the commands of its `Pipeline`.
///
/// It is used once: after `lost`, its `Database` opens another one. All of its code runs on the loop.
actor DatabaseConnection: Watcher {
    enum Kind: Sendable {
        case read
        case write
    }

    enum State {
        case opening
        /// Connected; the first statement of the session is being run.
        case guarding
        case ready
        /// Out of the pipeline, for a COPY of the transaction that has leased it.
        case copying
        case closed
    }

    enum Waiter {
        case guards
        case read(Read)
        case write(Batch)
    }

    nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let kind: Kind
    /// Its place in the pool; `nil` for one that only finds out whether the server answers.
    nonisolated let slot: Int?
    let settings: DatabaseSettings
    private let metrics: DatabaseMetrics
    weak var database: Database?

    var state = State.opening
    var wire: Wire?
    /// The descriptor that is watched; -1 when none is.
    var socket: Int32 = -1
    var deadline: Timer?

    var pipeline: Pipeline
    var waiters = Slab<Waiter>()
    /// The results so far of the statements of the current write.
    private var kept: [[Row]] = []
    private var willFlush = false
    private var awaitsRoom = false
    /// The COPY that waits for the socket.
    var copyContinues: UnsafeContinuation<Void, Never>?
    /// The time since which an answer is awaited and nothing has arrived.
    var quietSince = MonotonicTime.read()
    /// The time at which something last arrived from the server.
    private(set) var heard = MonotonicTime.read()
    /// The server that it is connected to; empty until then.
    var server = ""
    /// The position, among several hosts, at which it began to look for a server.
    var turn = 0
    /// Whether opening took longer than allowed.
    var ranOutOfTime = false

    init(loop: Loop, kind: Kind, slot: Int?, settings: DatabaseSettings, metrics: DatabaseMetrics, database: Database) {
        self.loop = loop
        self.kind = kind
        self.slot = slot
        self.settings = settings
        self.metrics = metrics
        self.database = database
        pipeline = Pipeline(statements: settings.statements)
    }

    /// The error for a step of a transaction whose connection was lost before.
    static let gone = PostgresError.unavailable("the connection was lost before")
    private static let unread = PostgresError.unavailable("a COPY was not read to its end")

    /// The number of reads and writes that wait for an answer.
    var load: Int { waiters.count }

    // MARK: Sending

    /// Sends `read` at the end of the loop's turn, together with the turn's other reads.
    func submit(_ read: Read) {
        guard state == .ready else { return read.answer.resume(returning: .failure(Self.gone)) }
        pipeline.read(read.sql, waiters.insert(.read(read)))
        flushLater()
    }

    /// Sends `batch` at the end of the loop's turn.
    func submit(_ batch: Batch) {
        guard state == .ready else { return batch.fail(state == .copying ? Self.unread : Self.gone) }
        let ticket = waiters.insert(.write(batch))
        pipeline.write(Pipeline.Write(ticket: ticket, statements: batch.statements, mayRepeat: !batch.isStep))
        flushLater()
    }

    /// One step of a transaction that has leased this connection: `statements` under one Sync.
    func run(_ statements: [SQL]) async throws(PostgresError) -> [[Row]] {
        try await withUnsafeContinuation { answer in
            submit(Batch([Write(statements: statements, answer: answer, since: loop.now, isStep: true)]))
        }.get()
    }

    private func flushLater() {
        if willFlush { return }
        willFlush = true
        loop.atEndOfTurn { [self] in
            assumeIsolated { $0.willFlush = false }
            assumeIsolated { $0.pump() }
        }
    }

    /// Sends everything that the pipeline has to send.
    func pump() {
        guard state == .ready || state == .guarding else { return }
        pipeline.endReads()
        do throws(Wire.Broken) {
            if !pipeline.isAwaiting { quietSince = loop.now }
            while let command = pipeline.next() {
                if command == .sync && state == .ready { metrics.syncs.increment() }
                try wire?.send(command)
            }
            awaitRoom(try wire?.flush() == false)
        } catch {
            return lose(error.reason)
        }
        if pipeline.isAwaiting { watchSilence() }
    }

    /// Watches for room in the socket's buffer only while something waits for it.
    private func awaitRoom(_ needed: Bool) {
        if needed == awaitsRoom { return }
        awaitsRoom = needed
        do throws(SystemError) {
            try loop.rewatch(socket, for: needed ? [.read, .readClosed, .write] : [.read, .readClosed])
        } catch {
            lose(error.description)
        }
    }

    // MARK: Receiving

    nonisolated func ready(_ interest: Interest) {
        assumeIsolated { $0.ready() }
    }

    private func ready() {
        switch state {
        case .opening: continueOpening()
        case .guarding, .ready: receive()
        case .copying: continueCopy()
        case .closed: break
        }
    }

    private func receive() {
        do throws(Wire.Broken) {
            try wire?.consume()
        } catch {
            // The results that arrived before the end may contain the reason for it.
            return drain() ? lose(error.reason) : ()
        }
        if drain() { pump() }
    }

    /// Handles every result that has arrived; `false` when the connection was lost meanwhile.
    private func drain() -> Bool {
        var separators = 0
        while true {
            switch wire?.next() {
            case .nothing, nil:
                return true
            case .separator:
                // One separator ends each statement; a second one means that libpq has no more results.
                separators += 1
                if separators > 1 || !pipeline.isAwaiting { return true }
            case .result(let result):
                separators = 0
                quietSince = loop.now
                heard = loop.now
                if !receive(result) { return false }
            }
        }
    }

    private func receive(_ result: ResultSet) -> Bool {
        guard let received = result.received else {
            lose("an unexpected answer, or none: \(wire?.reason ?? "")")
            return false
        }
        switch pipeline.receive(received) {
        case .none: break
        case .answer(let ticket): answer(ticket, result.all())
        case .keep: kept.append(result.all())
        case .restart: kept = []
        case .finish(let ticket): finish(ticket)
        case .fail(let ticket, let error): fail(ticket, error)
        case .drop(let reason):
            lose(reason)
            return false
        case .leave(let reason):
            lose(reason)
            database?.assumeIsolated { $0.dropIdleWrites() }
            return false
        }
        return true
    }

    private func answer(_ ticket: Int, _ rows: [Row]) {
        guard case .read(let read) = waiters.remove(ticket) else { return }
        metrics.reads.record(microseconds: loop.now.microseconds(since: read.since))
        read.answer.resume(returning: .success(rows))
    }

    private func finish(_ ticket: Int) {
        switch waiters.remove(ticket) {
        case .write(let batch):
            record(batch)
            batch.answer(kept)
            becameFree(after: batch)
        case .guards:
            kept = []
            becomeReady()
        case .read, nil: break
        }
    }

    /// The server refused it and rolled back everything that belonged to it.
    private func fail(_ ticket: Int, _ error: PostgresError) {
        switch waiters.remove(ticket) {
        case .read(let read):
            metrics.reads.record(microseconds: loop.now.microseconds(since: read.since))
            read.answer.resume(returning: .failure(error))
        case .write(let batch):
            if batch.isShared, let database {
                // Any of the writes may be the cause, so each runs again by itself.
                metrics.undone.increment()
                database.assumeIsolated { $0.sendAgain(batch.members) }
            } else {
                record(batch)
                batch.fail(error)
            }
            becameFree(after: batch)
        case .guards: lose(Self.explain(error))
        case nil: break
        }
    }

    private func record(_ batch: Batch) {
        for write in batch.members { metrics.writes.record(microseconds: loop.now.microseconds(since: write.since)) }
    }

    private func becameFree(after batch: Batch) {
        kept = []
        if batch.isStep { return }
        if let database { database.assumeIsolated { $0.finished(self) } } else { close() }
    }
}
