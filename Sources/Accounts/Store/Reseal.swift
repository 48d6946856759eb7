import Crypto
package import Postgres
package import Runtime

/// Seals again, with the first master key, what a former one has sealed, in pieces, one project after the other. Counts what cannot be moved but ends or moves by
/// itself.
///
/// It may be stopped and started again at any time, while servers run: a row is replaced only if it is still as it was read.
package struct Reseal: Sendable {
    /// The number of rows for one statement.
    static let piece = 500

    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
    }

    package struct Outcome: Sendable, Equatable {
        /// How many rows of each kind were sealed again.
        package var resealed: [Count] = []
        /// Rows with a value that no listed key opens.
        package var unreadable = 0
        /// Unfinished sign-ins that a former key sealed; all have ended at `flowsEnd`.
        package var flows = 0
        package var flowsEnd: Instant?
        /// Sessions whose client last sent a token of a former key. They move at their second refresh from now on; those of browsers at the
        /// pages of this server are not refreshed, and end by themselves.
        package var sessions = 0

        package struct Count: Sendable, Equatable {
            let name: SealedColumns.RowName
            package internal(set) var rows: Int

            /// Such as "2 deliveries".
            package var text: String { "\(rows) \(rows == 1 ? name.one : name.many)" }
        }

        package var isDone: Bool { unreadable == 0 && flows == 0 && sessions == 0 }
    }

    package func run() async throws(AccountError) -> Outcome {
        var outcome = Outcome()
        let projects = try await KnownProjects(storage: storage).list()
        for table in Table.all {
            guard let sealed = table.sealed, let seal = sealed.seal else { continue }
            for project in table.isOfProjects ? projects : [""] {
                let rows = try await move(sealed.names, of: table, by: seal, in: project, &outcome.unreadable)
                outcome.add(rows, seal.rowName)
            }
        }
        for project in projects {
            try await countFlows(of: project, &outcome)
            try await countSessions(of: project, &outcome)
        }
        if outcome.resealed.contains(where: { $0.rows > 0 }) {
            let act = AuditedAct(by: .command("keys reseal"), on: nil, from: nil, at: clock.now())
            let facts = outcome.resealed.map { count -> SQL in "\(count.name.key)::text, \(count.rows)" }.joined(by: ", ")
            _ = try await storage.write(act.record(.masterKeyResealed, facts: facts, in: AuditEvents.server))
        }
        return outcome
    }

    /// Seals the rows of a table again, those of one project, and returns their number.
    private func move(
        _ columnNames: [String], of table: Table, by seal: SealedColumns.Seal, in project: String, _ unreadable: inout Int
    ) async throws(AccountError) -> Int {
        let columns = columnNames.map { SQL(unsafe: $0) }
        let isOfProject: SQL = table.isOfProjects ? "project_id = \(project: project)" : "true"
        let (names, texts) = (table.key.map(\.sql).joined(by: ", "), table.key.map(\.asText).joined(by: ", "))
        var last = table.key.map { _ in "" }
        var moved = 0
        while true {
            func place() -> SQL { zip(table.key, last).map { $0.value($1) }.joined(by: ", ") }
            let rows = try await storage.read(
                """
                SELECT \(texts), \(columns.joined(by: ", ")) FROM \(table.sql)
                WHERE \(isOfProject) AND (\(names)) > (\(place())) AND coalesce(\(columns.joined(by: ", "))) IS NOT NULL ORDER BY \(names) LIMIT \(Self.piece)
                """)
            var updates: [SQL] = []
            for row in rows {
                var row = row.reader()
                let values: [[UInt8]?]
                (last, values) = try reading { (try table.key.map { _ in try row.next() }, try columns.map { _ in try row.next() }) }
                do {
                    guard let anew = try seal.resealed(values, of: columnNames, with: masterKey, project: project, key: last) else {
                        continue
                    }
                    let changes = zip(columns, anew).map { column, value -> SQL in "\(column) = \(value)" }.joined(by: ", ")
                    let asRead = zip(columns, values).map { column, value -> SQL in "\(column) IS NOT DISTINCT FROM \(value)" }
                    updates.append(
                        """
                        UPDATE \(table.sql) SET \(changes)
                        WHERE \(isOfProject) AND (\(names)) = (\(place())) AND \(asRead.joined(by: " AND ")) RETURNING 1::bigint
                        """)
                } catch { unreadable += 1 }
            }
            moved += try await storage.write(all: updates).reduce(0) { $0 + $1.count }
            if rows.count < Self.piece { return moved }
        }
    }

    /// Counts the unfinished sign-ins that a former key sealed (`SealedColumns.flows`).
    private func countFlows(of project: String, _ outcome: inout Outcome) async throws(AccountError) {
        var last: [UInt8] = []
        while true {
            let rows = try await storage.read(
                """
                SELECT flow_id, secrets, expires_at FROM sign_in_flows
                WHERE project_id = \(project: project) AND flow_id > \(last) AND expires_at > \(clock.now())
                    AND status NOT IN ('redeemed', 'failed')
                ORDER BY flow_id LIMIT \(Self.piece)
                """)
            for row in rows {
                var row = row.reader()
                let sealed: [UInt8]
                let end: Instant
                (last, sealed, end) = try reading { (try row.next(), try row.next(), try row.next()) }
                if masterKey.flows.isSealedByFirst(sealed, context: SignInFlows.context(last)) { continue }
                outcome.flows += 1
                outcome.flowsEnd = max(outcome.flowsEnd ?? end, end)
            }
            if rows.count < Self.piece { return }
        }
    }

    private func countSessions(of project: String, _ outcome: inout Outcome) async throws(AccountError) {
        var last: [UInt8] = []
        while true {
            let rows = try await storage.read(
                """
                WITH piece AS (
                    SELECT session_id, ended_at IS NULL AND token_key IS DISTINCT FROM \(masterKey.tokenKey) AS is_left
                    FROM sessions WHERE project_id = \(project: project) AND session_id > \(last)
                    ORDER BY session_id LIMIT \(20 * Self.piece))
                SELECT session_id, (SELECT count(*) FROM piece WHERE is_left) FROM piece ORDER BY session_id DESC LIMIT 1
                """)
            guard var row = rows.first?.reader() else { return }
            last = try reading { try row.next() }
            outcome.sessions += try reading { try row.next(as: Int.self) }
        }
    }
}

extension Reseal.Outcome {
    fileprivate mutating func add(_ rows: Int, _ name: SealedColumns.RowName) {
        if let index = resealed.firstIndex(where: { $0.name == name }) {
            resealed[index].rows += rows
        } else {
            resealed.append(Count(name: name, rows: rows))
        }
    }
}
