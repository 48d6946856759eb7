import Runtime

/// Finds rows by keys. Up to 16 calls of one turn of the loop share a statement, whose keys are the rows of a `VALUES` list: a short statement
/// costs PostgreSQL more by itself than by the rows that it finds.
///
///     let names = KeyedReads(database) { keys in
///         """
///         SELECT p.name, k.place FROM (VALUES \(keys.rows)) k (place, id)
///         CROSS JOIN LATERAL (SELECT name FROM people WHERE id = k.id \(keys.limit)) p
///         """
///     }
///     let rows = try await names.rows(for: "\(id)")
package actor KeyedReads {
    /// The keys of one statement.
    package struct Keys {
        /// A row in parentheses for each key: its place, a bigint, and then its values.
        package let rows: SQL
        /// `LIMIT 1` where there are several keys, for the inner query that finds the one row of a key: PostgreSQL then looks each up by
        /// itself, as it does a single one, and does not read a whole table for a few.
        package let limit: SQL
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { database.unownedExecutor }
    private let database: Database
    private let makeStatement: @Sendable (Keys) -> SQL
    private var waiting: [Asked] = []

    private struct Asked {
        let key: SQL
        let answer: Answer<[Row]>
        let since: MonotonicTime
    }

    /// - Parameter statement: makes the statement, which only reads, finds at most one row for a key, and selects the place of its key as the
    ///   last column.
    package init(_ database: Database, statement: @escaping @Sendable (Keys) -> SQL) {
        self.database = database
        makeStatement = statement
    }

    /// The statement for one key.
    package nonisolated func statement(for key: SQL) -> SQL { statement(for: [key]) }

    private nonisolated func statement(for keys: [SQL]) -> SQL {
        var rows: SQL = ""
        for (place, key) in keys.enumerated() {
            if place > 0 { rows += ", " }
            rows += "(\(Int64(place)), \(key))"
        }
        return makeStatement(Keys(rows: rows, limit: keys.count == 1 ? "" : "LIMIT 1"))
    }

    /// The row for a key, or none.
    /// - Parameter key: values, separated by commas; as many and of the same types in every call.
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
        place(Read(sql: statement(for: asked.key), answer: .toCall(asked.answer), since: asked.since))
    }

    private func send(_ asked: [Asked]) {
        let answer = ReadAnswer.shared { [self] result in assumeIsolated { $0.answer(asked, result) } }
        place(Read(sql: statement(for: asked.map(\.key)), answer: answer, since: asked[0].since, keys: asked.count))
    }

    private func place(_ read: Read) { database.assumeIsolated { $0.place(read) } }

    private func answer(_ asked: [Asked], _ result: Result<[Row], PostgresError>) {
        do throws(PostgresError) {
            var found: [[Row]] = Array(repeating: [], count: asked.count)
            for row in try result.get() { try found[row.place(below: asked.count)].append(row) }
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

extension Row {
    /// The last column, a position in a list of `count`.
    fileprivate func place(below count: Int) throws(PostgresError) -> Int {
        let place: Int64 = try result.value(row: index, column: result.columns - 1)
        guard (0..<Int64(count)).contains(place) else { throw .decoding("\(place) is not the place of a key") }
        return Int(place)
    }
}
