import DequeModule
import Logging
import Runtime

// How calls find connections, and how connections come and go.

extension Database {
    // MARK: Calls

    func place(_ read: Read) {
        if let (connection, load) = leastLoadedRead() {
            if load > 0 { openRead() }
            guard load < settings.readsUnderWay else { return refuse(read) }
            return connection.assumeIsolated { $0.submit(read) }
        }
        guard mayWait(hasConnection: false, waiting: waitingReads.count) else { return refuse(read) }
        waitingReads.append(read)
        openRead()
        watchPatience()
    }

    private func refuse(_ read: Read) {
        read.answer.resume(returning: .failure(refusal()))
    }

    private func leastLoadedRead() -> (Connection, load: Int)? {
        var best: (Connection, load: Int)?
        for case let connection? in reads {
            let load = connection.assumeIsolated { $0.state == .ready ? $0.load : .max }
            if load < best?.load ?? .max { best = (connection, load) }
        }
        return best
    }

    func add(_ job: WriteJob) {
        guard mayWait(hasConnection: pool.hasConnection, waiting: 0), pool.add(job, at: loop.now) else { return job.fail(refusal()) }
        carryOutLater()
    }

    private func mayWait(hasConnection: Bool, waiting: Int) -> Bool {
        if isClosed || target == nil || waiting >= settings.waiting { return false }
        return hasConnection || !outage.isLonger(than: settings.patience, at: loop.now)
    }

    private func refusal() -> PostgresError {
        metrics.refused.increment()
        if isClosed { return .unavailable("closed") }
        if target == nil { return .unavailable("the database URL cannot be read") }
        return .unavailable(outage.isUnderWay ? lastReason : "too many calls wait for a connection")
    }

    /// At the end of the turn, so that writes of the turn find one another.
    private func carryOutLater() {
        if willCarryOut { return }
        willCarryOut = true
        loop.atEndOfTurn { [weak self] in
            self?.assumeIsolated { database in
                database.willCarryOut = false
                database.carryOutWrites()
            }
        }
    }

    private func carryOutWrites() {
        while let action = pool.next(mayOpen: !outage.isUnderWay) {
            switch action {
            case .open(let slot):
                writes[slot] = open(.write, slot)
            case .run(let jobs, let slot):
                guard let connection = writes[slot] else {
                    pool.vacate(slot)
                    for job in jobs { job.fail(.unavailable("the connection was lost")) }
                    continue
                }
                run(jobs, on: connection)
            }
        }
        metrics.busy.set(pool.count(.busy))
        metrics.waiting.set(pool.waitingCount + waitingReads.count)
        if pool.waitingCount > 0 { watchPatience() }
    }

    private func run(_ jobs: [WriteJob], on connection: Connection) {
        var writes: [Write] = []
        for job in jobs {
            switch job {
            case .write(let write): writes.append(write)
            case .lease(let answer): answer.resume(returning: .success(connection))
            }
        }
        if !writes.isEmpty { connection.assumeIsolated { $0.submit(Batch(writes)) } }
    }

    /// Fails what has waited too long; runs while anything waits.
    private func watchPatience() {
        if patience != nil { return }
        guard let oldest = [waitingReads.first?.since, pool.oldestWait].compactMap({ $0 }).min() else { return }
        let left = (oldest + settings.patience).microseconds(since: loop.now)
        patience = loop.schedule(after: .microseconds(Int64(clamping: left))) { [weak self] in
            self?.assumeIsolated { $0.losePatience() }
        }
    }

    private func losePatience() {
        patience = nil
        let error = PostgresError.unavailable(
            outage.isUnderWay ? lastReason : "no connection became free within \(settings.patience)")
        while let first = waitingReads.first, first.since + settings.patience <= loop.now {
            waitingReads.removeFirst()
            first.answer.resume(returning: .failure(error))
        }
        for job in pool.expire(at: loop.now, patience: settings.patience) { job.fail(error) }
        metrics.waiting.set(pool.waitingCount + waitingReads.count)
        watchPatience()
    }

    // MARK: Connections

    /// Opens another connection for reads, unless one is being opened or the database is down.
    private func openRead() {
        guard openingReads == 0, !outage.isUnderWay, let slot = reads.firstIndex(where: { $0 == nil }) else { return }
        openingReads += 1
        reads[slot] = open(.read, slot)
    }

    private func open(_ kind: Connection.Kind, _ slot: Int) -> Connection? {
        guard let target else { return nil }
        let connection = Connection(loop: loop, kind: kind, slot: slot, settings: settings, metrics: metrics, database: self)
        // Not at once: a failure reported from within would find the pool half changed.
        loop.atEndOfTurn { connection.assumeIsolated { $0.open(target) } }
        return connection
    }

    func opened(_ connection: Connection) {
        if outage.isUnderWay { log.notice("database reachable again") }
        outage.ended()
        if let retry { loop.cancel(retry) }
        retry = nil
        switch connection.kind {
        case .read: openingReads -= 1
        case .write: pool.free(connection.slot)
        }
        placeWaiting()
        countConnections()
    }

    private func placeWaiting() {
        let waiting = waitingReads
        waitingReads.removeAll()
        for read in waiting { place(read) }
        carryOutWrites()
    }

    /// A write was answered: its connection is free for the next.
    func finished(_ connection: Connection) {
        pool.free(connection.slot)
        carryOutLater()
    }

    /// Writes that were undone together run again, each by itself.
    func sendAgain(_ writes: [Write]) {
        let alone = writes.map { write in
            var write = write
            write.mayShare = false
            return WriteJob.write(write)
        }
        pool.addFirst(alone, at: loop.now)
    }

    /// A transaction gives its connection back.
    func release(_ connection: Connection) {
        // Unless it was lost meanwhile, which vacated its place.
        guard writes[connection.slot] === connection else { return }
        finished(connection)
    }

    /// A connection broke or failed to open; `reads` were awaiting their rows on it.
    func lost(_ connection: Connection, wasReady: Bool, reads unanswered: [Read], reason: String) {
        metrics.lost.increment()
        log.warning(wasReady ? "database connection lost" : "cannot connect to the database", metadata: ["reason": "\(reason)"])
        lastReason = reason
        switch connection.kind {
        case .read:
            reads[connection.slot] = nil
            if !wasReady { openingReads -= 1 }
        case .write:
            writes[connection.slot] = nil
            pool.vacate(connection.slot)
        }
        countConnections()
        if !wasReady && retry == nil {
            retryLater(outage.failed(at: loop.now, chance: .random(in: 0...1)))
        }
        for var read in unanswered {
            read.losses += 1
            // More than a server that restarts can explain: the read itself may be what ends its connections.
            if read.losses > settings.readConnections {
                read.answer.resume(returning: .failure(.unavailable("the connection was lost \(read.losses) times: \(reason)")))
            } else {
                place(read)
            }
        }
        carryOutWrites()
    }

    /// One attempt after `delay`, on behalf of all; what it finds ends the outage or prolongs it.
    private func retryLater(_ delay: Duration) {
        retry = loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { database in
                database.retry = nil
                database.attempt()
            }
        }
    }

    private func attempt() {
        if pool.waitingCount > 0, let slot = pool.openOne() {
            writes[slot] = open(.write, slot)
        } else if openingReads > 0 || pool.count(.opening) > 0 {
            // One is under way already.
        } else if let slot = reads.firstIndex(where: { $0 == nil }) {
            openingReads += 1
            reads[slot] = open(.read, slot)
        } else {
            outage.ended()
            placeWaiting()
        }
    }

    func closeAll() {
        isClosed = true
        for timer in [patience, retry] { if let timer { loop.cancel(timer) } }
        for connection in reads + writes { connection?.assumeIsolated { $0.close() } }
        for read in waitingReads { read.answer.resume(returning: .failure(.unavailable("closed"))) }
        waitingReads.removeAll()
        for job in pool.removeAll() { job.fail(.unavailable("closed")) }
        metrics.readConnections.set(0)
        metrics.writeConnections.set(0)
    }

    private func countConnections() {
        metrics.readConnections.set(reads.count { $0 != nil } - openingReads)
        metrics.writeConnections.set(pool.count(.idle) + pool.count(.busy))
    }
}
