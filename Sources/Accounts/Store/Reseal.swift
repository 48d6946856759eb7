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
        /// The numbers of values that were sealed again.
        package var signingKeys = 0
        package var mails = 0
        /// The number of identities whose tokens of their provider were sealed again.
        package var providerTokens = 0
        /// Values that no listed key opens.
        package var unreadable = 0
        /// Unfinished sign-ins that a former key sealed; all have ended at `flowsEnd`.
        package var flows = 0
        package var flowsEnd: Instant?
        /// Sessions whose client last sent a token of a former key. They move at their second refresh from now on; those of browsers at the
        /// pages of this server are not refreshed, and end by themselves.
        package var sessions = 0

        package var isDone: Bool { unreadable == 0 && flows == 0 && sessions == 0 }
    }

    package func run() async throws(AccountError) -> Outcome {
        var outcome = Outcome()
        try await moveSigningKeys(&outcome)
        for project in try await KnownProjects(storage: storage).list() {
            try await moveMails(of: project, &outcome)
            try await moveProviderTokens(of: project, &outcome)
            try await countFlows(of: project, &outcome)
            try await countSessions(of: project, &outcome)
        }
        let (keys, mails, tokens) = (outcome.signingKeys, outcome.mails, outcome.providerTokens)
        if keys + mails + tokens > 0 {
            let act = AuditedAct(by: .command("keys reseal"), on: nil, from: nil, at: clock.now())
            let facts: SQL = "'signingKeys', \(keys), 'mails', \(mails), 'providerTokens', \(tokens)"
            _ = try await storage.write(act.record(.masterKeyResealed, facts: facts, in: AuditEvents.server))
        }
        return outcome
    }

    private func moveSigningKeys(_ outcome: inout Outcome) async throws(AccountError) {
        for table in SigningKeyPurpose.allCases.map(\.table) {
            for row in try await storage.read("SELECT kid, private_key FROM \(table)") {
                var row = row.reader()
                let (kid, sealed): (String, [UInt8]) = try reading { (try row.next(), try row.next()) }
                do {
                    guard let anew = try masterKey.signingKeys.resealed(sealed, context: kid) else { continue }
                    outcome.signingKeys += try await storage.write(
                        "UPDATE \(table) SET private_key = \(anew) WHERE kid = \(kid) AND private_key = \(sealed) RETURNING 1::bigint"
                    ).count
                } catch let error as AccountError { throw error } catch { outcome.unreadable += 1 }
            }
        }
    }

    private func moveMails(of project: String, _ outcome: inout Outcome) async throws(AccountError) {
        var last: [UInt8] = []
        while true {
            let rows = try await storage.read(
                """
                SELECT mail_id, payload FROM mail_outbox WHERE project_id = \(project: project) AND mail_id > \(last)
                ORDER BY mail_id LIMIT \(Self.piece)
                """)
            var updates: [SQL] = []
            for row in rows {
                var row = row.reader()
                let payload: [UInt8]
                (last, payload) = try reading { (try row.next(), try row.next()) }
                do {
                    let context = Outbox.context(project, last)
                    guard let anew = try masterKey.outbox.resealed(payload, context: context) else { continue }
                    updates.append(
                        """
                        UPDATE mail_outbox SET payload = \(anew)
                        WHERE project_id = \(project: project) AND mail_id = \(last) AND payload = \(payload) RETURNING 1::bigint
                        """)
                } catch { outcome.unreadable += 1 }
            }
            outcome.mails += try await storage.write(all: updates).reduce(0) { $0 + $1.count }
            if rows.count < Self.piece { return }
        }
    }

    /// Half of the key that seals a flow's answer is in a link, so that answer cannot be sealed again. Flows last only minutes.
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
