package import Postgres
package import Runtime

/// Reads the log of sign-ins, which `SignInLogWriter` writes: its lines, and how many there are of each kind.
package struct SignInLogReader: Sendable {
    private static let order = TimeOrder(table: "sign_in_log", number: "entry_id")

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// Which lines of a project to read: those for which everything that is given is true.
    package struct Filter: Sendable {
        package var accountID: String?
        /// Whether to read refused sign-ins alone.
        package var onlyRefused = false
        package var since: Instant?
        /// The lines of this time are left out.
        package var until: Instant?

        package init() {}

        /// An index finds the lines of each filter in the order of their time.
        fileprivate func condition(in project: String) -> SQL {
            var conditions = TimeOrder.conditions(of: accountID, since: since, until: until, in: project)
            if onlyRefused { conditions.append("code IS NOT NULL") }
            return conditions.joined(by: " AND ")
        }
    }

    /// Reads the lines in the order of their time, some at a time, so that any number of them takes little memory.
    ///
    /// - Parameter limit: how many to read at most, the newest ones; `nil` for all.
    package func read(
        _ filter: Filter, newest limit: Int? = nil, in project: String, _ body: ([SignInLogEntry]) -> Void
    ) async throws(AccountError) {
        try await Self.order.read(
            SignInLogEntry.columns, where: filter.condition(in: project), newest: limit, from: storage, as: SignInLogEntry.init, body)
    }

    /// The number of sign-ins of one kind, and the time of the last one.
    package struct Total: Sendable, Equatable {
        package let provider: String
        package let outcome: String
        /// The reason of a refusal; `nil` for other outcomes.
        package let code: String?
        package let count: Int
        package let last: Instant

        /// Whether the person was signed in.
        package var isSuccess: Bool { SignInMetrics.Outcome(rawValue: outcome).map(SignInMetrics.Outcome.successes.contains) ?? false }
    }

    /// Counts the lines of a filter by provider, outcome and reason. It reads one range of an index.
    package func totals(_ filter: Filter, in project: String) async throws(AccountError) -> [Total] {
        let rows = try await storage.read(
            """
            SELECT provider, outcome, code, count(*), max(occurred_at) FROM sign_in_log WHERE \(filter.condition(in: project))
            GROUP BY provider, outcome, code ORDER BY provider, outcome, code
            """)
        return try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return Total(
                    provider: try row.next(), outcome: try row.next(), code: try row.next(), count: try row.next(), last: try row.next())
            }
        }
    }

    /// The number of sign-ins of one kind in one piece of time.
    package struct Count: Sendable, Equatable {
        /// The beginning of the piece.
        package let start: Instant
        package let provider: String
        package let outcome: String
        /// The reason of a refusal; `nil` for other outcomes.
        package let code: String?
        package let count: Int
    }

    /// Counts the sign-ins of a time by provider, outcome and reason, for each piece of it, in the order of the pieces. A piece and a kind
    /// without a sign-in have no count. It reads one range of an index, and is given up after two seconds.
    ///
    /// - Parameter step: the length of a piece, in whole seconds; the first one begins at `start`.
    package func counts(
        from start: Instant, until end: Instant, each step: Duration, in project: String
    ) async throws(AccountError) -> [Count] {
        let length = max(1, step.wholeSeconds)
        let results = try await storage.look(all: [
            """
            SELECT floor(extract(epoch FROM occurred_at - \(start)) / \(length))::bigint AS piece, provider, outcome, code, count(*)
            FROM sign_in_log WHERE project_id = \(project: project) AND occurred_at >= \(start) AND occurred_at < \(end)
            GROUP BY piece, provider, outcome, code ORDER BY piece, provider, outcome, code
            """
        ])
        return try reading {
            try (results.first ?? []).map { row throws(PostgresError) in
                var row = row.reader()
                let piece: Int64 = try row.next()
                return Count(
                    start: start + .seconds(piece * length), provider: try row.next(), outcome: try row.next(), code: try row.next(),
                    count: try row.next())
            }
        }
    }
}
