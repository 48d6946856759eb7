import Runtime

/// Finds rows by keys. Up to 16 calls of one turn of the loop share a statement.
///
///     let people = KeyedReads(database, of: names)
///     let rows = try await people.rows(for: "\(id)")
package actor KeyedReads {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { database.unownedExecutor }
    private let database: Database
    private let statement: KeyedStatement
    private var waiting: [Asked] = []

    private struct Asked {
        let key: SQL
        let answer: Answer<[Row]>
        let since: MonotonicTime
    }

    /// - Parameter statement: only reads.
    package init(_ database: Database, of statement: KeyedStatement) {
        self.database = database
        self.statement = statement
    }

    /// The row for a key, or none.
    package func rows(for key: SQL) async throws(PostgresError) -> [Row] {
        if let fault = key.fault { throw fault }
        return try await withUnsafeContinuation { answer in
            if waiting.isEmpty { database.loop.atEndOfTurn { [self] in assumeIsolated { $0.send() } } }
            waiting.append(Asked(key: key, answer: answer, since: database.loop.now))
        }.get()
    }

    private func send() {
        var rest = waiting[...]
        waiting = []
        while !rest.isEmpty {
            let some = rest.prefix(Pipeline.mostTogether)
            rest = rest.dropFirst(Pipeline.mostTogether)
            if some.count == 1 { some.forEach(sendAlone) } else { send(Array(some)) }
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
        do throws(PostgresError) {
            let found = try statement.divide(try result.get(), among: asked.count)
            for (asked, rows) in zip(asked, found) { asked.answer.resume(returning: .success(rows)) }
        } catch {
            switch error {
            // These say something of the server, not of a key.
            case .unavailable, .timedOut: for asked in asked { asked.answer.resume(returning: .failure(error)) }
            // No call gets the error of another.
            case .sql, .constraint, .decoding: asked.forEach(sendAlone)
            }
        }
    }
}
