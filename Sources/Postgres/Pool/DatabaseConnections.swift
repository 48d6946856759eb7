import DequeModule
import Logging
import Runtime

// How calls get connections, and how connections are opened and closed.

extension Database {
    // MARK: Calls

    func place(_ read: Read) {
        if let (connection, load, gathers) = readConnection() {
            // A connection that gathers may only have what this turn gave it.
            if load > 0, !gathers { openRead() }
            guard load < settings.readsUnderWay else { return refuse(read) }
            return connection.assumeIsolated { $0.submit(read) }
        }
        guard mayWait(reading, hasConnection: false, waiting: waitingReads.count) else { return refuse(read) }
        waitingReads.append(read)
        // A read that lost its connection may have waited longer than the one that the timer was set for.
        if read.since < loop.now, let timer = patience {
            loop.cancel(timer)
            patience = nil
        }
        openRead()
        watchPatience()
    }

    private func refuse(_ read: Read) {
        read.answer.resume(returning: .failure(refusal(reading)))
    }

    /// The connection on which reads of this turn are gathering, since each further one wakes another process of the server; or else the
    /// one with the least to do.
    private func readConnection() -> (DatabaseConnection, load: Int, gathers: Bool)? {
        var best: (DatabaseConnection, load: Int, gathers: Bool)?
        for case let connection? in reads {
            let (load, gathers) = connection.assumeIsolated { $0.state == .ready ? ($0.load, $0.pipeline.gathersReads) : (.max, false) }
            if gathers, load < settings.readsUnderWay { return (connection, load, true) }
            if load < best?.load ?? .max { best = (connection, load, false) }
        }
        return best
    }

    func add(_ job: WriteJob) {
        guard mayWait(writing, hasConnection: pool.hasConnection, waiting: 0), pool.add(job, at: loop.now) else {
            return job.fail(refusal(writing))
        }
        carryOutLater()
    }

    /// As `add`, but before all waiting calls: for the question whether the database takes writes.
    func addInFront(_ write: Write) {
        guard mayWait(writing, hasConnection: pool.hasConnection, waiting: 0) else {
            return write.answer.resume(returning: .failure(refusal(writing)))
        }
        pool.addFirst([.write(write)], at: loop.now)
        carryOutLater()
    }

    private func mayWait(_ health: ConnectionHealth, hasConnection: Bool, waiting: Int) -> Bool {
        if isClosed || target == nil || waiting >= settings.waiting { return false }
        return hasConnection || !health.outage.isLonger(than: settings.patience, at: loop.now)
    }

    private func refusal(_ health: ConnectionHealth) -> PostgresError {
        metrics.refused.increment()
        if isClosed { return .unavailable("closed") }
        if target == nil { return .unavailable("the database URL cannot be read") }
        return .unavailable(health.outage.isUnderWay ? health.lastReason : "too many calls wait for a connection")
    }

    /// At the end of the turn, so that the writes of a turn can share a commit.
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

    func carryOutWrites() {
        // When the server allows only a few connections, reads go first, since most of the work is reads.
        let readsHaveTheirs = hasReadConnection || reading.outage.isUnderWay
        if !readsHaveTheirs && pool.waitingCount > 0 { openRead() }
        let mayOpen = readsHaveTheirs && !writing.outage.isUnderWay && !holdsBack(.write)
        while let action = pool.next(mayOpen: mayOpen) {
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

    private func run(_ jobs: [WriteJob], on connection: DatabaseConnection) {
        var writes: [Write] = []
        for job in jobs {
            switch job {
            case .write(let write): writes.append(write)
            case .lease(let answer, _): answer.resume(returning: .success(connection))
            }
        }
        if !writes.isEmpty { connection.assumeIsolated { $0.submit(Batch(writes)) } }
    }

    /// Fails calls that have waited too long; runs while any call waits.
    private func watchPatience() {
        if patience != nil { return }
        guard let oldest = [waitingReads.oldest, pool.oldestWait].compactMap({ $0 }).min() else { return }
        let left = (oldest + settings.patience).microseconds(since: loop.now)
        patience = loop.schedule(after: .microseconds(Int64(clamping: left))) { [weak self] in
            self?.assumeIsolated { $0.losePatience() }
        }
    }

    private func losePatience() {
        patience = nil
        for read in waitingReads.expire(at: loop.now, patience: settings.patience) {
            read.answer.resume(returning: .failure(impatience(reading)))
        }
        for job in pool.expire(at: loop.now, patience: settings.patience) {
            job.fail(pool.isHeldUp(job) ? .locked : impatience(writing))
        }
        metrics.waiting.set(pool.waitingCount + waitingReads.count)
        watchPatience()
    }

    private func impatience(_ health: ConnectionHealth) -> PostgresError {
        .unavailable(health.outage.isUnderWay ? health.lastReason : "no connection became free within \(settings.patience)")
    }

    // MARK: Connections

    var hasReadConnection: Bool { reads.count { $0 != nil } > openingReads }

    /// Opens another connection for reads, unless one is being opened or the database is down.
    func openRead() {
        guard openingReads == 0, !reading.outage.isUnderWay, !holdsBack(.read), let slot = reads.firstIndex(where: { $0 == nil }) else {
            return
        }
        openingReads += 1
        reads[slot] = open(.read, slot)
    }

    func open(_ kind: DatabaseConnection.Kind, _ slot: Int) -> DatabaseConnection? {
        guard let target else { return nil }
        let connection = DatabaseConnection(loop: loop, kind: kind, slot: slot, settings: settings, metrics: metrics, database: self)
        // Not at once: a failure reported from within this call would find the pool half changed.
        loop.atEndOfTurn { [turn] in connection.assumeIsolated { $0.open(target, turn: turn) } }
        return connection
    }

    func opened(_ connection: DatabaseConnection) {
        guard let slot = connection.slot else { return probed(connection, isThere: true) }
        let wasAway = health(connection.kind).outage.isUnderWay
        if wasAway { log.notice("database reachable again", metadata: ["for": "\(connection.kind)s"]) }
        change(connection.kind) { health in
            health.outage.ended()
            if let retry = health.retry { loop.cancel(retry) }
            health.retry = nil
        }
        switch connection.kind {
        case .read: openingReads -= 1
        case .write:
            pool.free(slot)
            followWrites()
        }
        tryNow(connection.kind == .read ? .write : .read)
        if wasAway { share.tellOthers(than: self) }
        placeWaiting()
        countConnections()
    }

    func placeWaiting() {
        if hasReadConnection {
            let waiting = waitingReads
            waitingReads.removeAll()
            for read in waiting { place(read) }
        }
        carryOutWrites()
    }

    /// A write was answered, so its connection is free for the next.
    func finished(_ connection: DatabaseConnection) {
        guard let slot = connection.slot else { return }
        pool.free(slot)
        if owesConnection { giveBack() }
        carryOutLater()
    }

    /// Writes that were rolled back together run again, each by itself.
    func sendAgain(_ writes: [Write]) {
        let alone = writes.map { write in
            var write = write
            write.mayShare = false
            return WriteJob.write(write)
        }
        pool.addFirst(alone, at: loop.now)
    }

    /// A transaction returns its connection.
    func release(_ connection: DatabaseConnection) {
        // If the connection was lost meanwhile, its place is already free.
        guard let slot = connection.slot, writes[slot] === connection else { return }
        finished(connection)
    }

    func closeAll() {
        isClosed = true
        for timer in [patience, reading.retry, writing.retry] { if let timer { loop.cancel(timer) } }
        for connection in reads + writes + [reading.probe, writing.probe] { connection?.assumeIsolated { $0.close() } }
        for read in waitingReads { read.answer.resume(returning: .failure(.unavailable("closed"))) }
        waitingReads.removeAll()
        for job in pool.removeAll() { job.fail(.unavailable("closed")) }
        metrics.readConnections.set(0)
        metrics.writeConnections.set(0)
    }

    // MARK: By choice

    /// Ends connections for reads; reads that wait on them are sent again on others.
    func retire(_ connections: [DatabaseConnection], _ reason: String) {
        var unanswered: [Read] = []
        for connection in connections {
            guard let slot = connection.slot else { continue }
            reads[slot] = nil
            unanswered += connection.assumeIsolated { $0.retire() }
            log.debug("database connection closed", metadata: ["reason": "\(reason)", "for": "reads"])
        }
        countConnections()
        for read in unanswered { place(read) }
    }

    /// Ends a connection for writes that is idle.
    func closeWrite(_ slot: Int, _ reason: String) {
        writes[slot]?.assumeIsolated { $0.close() }
        writes[slot] = nil
        pool.vacate(slot)
        log.debug("database connection closed", metadata: ["reason": "\(reason)", "for": "writes"])
        countConnections()
    }

    func countConnections() {
        metrics.readConnections.set(reads.count { $0 != nil } - openingReads)
        metrics.writeConnections.set(pool.count(.idle) + pool.count(.busy))
    }
}
