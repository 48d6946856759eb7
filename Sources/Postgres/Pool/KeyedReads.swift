import Runtime

/// Finds rows by keys. Up to 32 calls share a statement: those of one turn of the loop, and those that come while another statement is under way.
/// PostgreSQL answers more calls a second when they come in fewer statements. When an answer is late, the waiting calls take another
/// connection for reads that is idle.
///
///     let people = KeyedReads(database, of: names)
///     let rows = try await people.rows(for: "\(id)")
package actor KeyedReads {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { database.unownedExecutor }
    private let database: Database
    private let statement: KeyedStatement
    /// More statements than connections are under way only when each of them is full.
    private let statementsAtOnce: Int
    private var waiting: [Asked] = []
    /// The most calls that share a statement. PostgreSQL does less for each of 32 than for each of 16. But every connection prepares a statement
    /// for each number of calls, and those for 17 to 32 take two megabytes in each process of PostgreSQL.
    private static let mostTogether = 32
    private var statementsUnderWay = 0
    /// How long a call waits for the answer of one statement while other connections are free.
    private static let patience: Duration = .milliseconds(5)
    private var hasTimer = false
    private var willSend = false

    private struct Asked {
        let key: SQL
        let answer: Answer<[Row]>
        let since: MonotonicTime
    }

    /// - Parameter statement: only reads.
    package init(_ database: Database, of statement: KeyedStatement) {
        self.database = database
        self.statement = statement
        statementsAtOnce = max(1, database.settings.readConnections)
    }

    /// The row for a key, or none.
    package func rows(for key: SQL) async throws(PostgresError) -> [Row] {
        if let fault = key.fault { throw fault }
        return try await withUnsafeContinuation { answer in
            waiting.append(Asked(key: key, answer: answer, since: database.loop.now))
            sendLater()
        }.get()
    }

    /// At the end of the turn, so that the calls of a turn can share a statement.
    private func sendLater() {
        if willSend || waiting.isEmpty { return }
        willSend = true
        database.loop.atEndOfTurn { [self] in
            assumeIsolated {
                $0.willSend = false
                $0.send()
            }
        }
    }

    private func send() {
        while !waiting.isEmpty, mayLeave {
            let some = Array(waiting.prefix(Self.mostTogether))
            waiting.removeFirst(some.count)
            statementsUnderWay += 1
            send(some)
        }
        if !waiting.isEmpty { sendWhenLate() }
    }

    /// Whether the oldest of the waiting calls may leave.
    private var mayLeave: Bool {
        if statementsUnderWay == 0 || waiting.count >= Self.mostTogether { return true }
        return statementsUnderWay < statementsAtOnce && waiting[0].since + Self.patience < database.loop.now
            && database.assumeIsolated { $0.hasIdleRead }
    }

    private func sendWhenLate() {
        if hasTimer || statementsUnderWay >= statementsAtOnce { return }
        hasTimer = true
        // A connection that has to be opened first should be there in time.
        database.assumeIsolated { if !$0.hasIdleRead { $0.openRead() } }
        database.loop.schedule(after: Self.patience) { [self] in
            assumeIsolated {
                $0.hasTimer = false
                $0.send()
            }
        }
    }

    private func sendAlone(_ asked: Asked) {
        place(Read(sql: statement.sql(for: [asked.key]), answer: .toCall(asked.answer), since: asked.since))
    }

    private func send(_ asked: [Asked]) {
        let answer = ReadAnswer.shared { [self] result in assumeIsolated { $0.answer(asked, result) } }
        place(Read(sql: statement.sql(for: asked.map(\.key)), answer: answer, since: asked[0].since, keys: asked.count))
    }

    private func place(_ read: Read) { database.assumeIsolated { $0.place(read) } }

    private func answer(_ asked: [Asked], _ result: Result<[Row], PostgresError>) {
        statementsUnderWay -= 1
        sendLater()
        do throws(PostgresError) {
            let found = try statement.divide(try result.get(), among: asked.count)
            for (asked, rows) in zip(asked, found) { asked.answer.resume(returning: .success(rows)) }
        } catch {
            let isOfServer =
                switch error {
                case .unavailable, .timedOut, .locked: true
                case .sql, .constraint, .decoding: false
                }
            // No call gets the error of another.
            guard isOfServer || asked.count == 1 else { return asked.forEach(sendAlone) }
            for asked in asked { asked.answer.resume(returning: .failure(error)) }
        }
    }
}
