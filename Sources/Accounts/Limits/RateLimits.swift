package import Postgres
package import ProjectSettings
package import Runtime

/// Limits that hold for all processes of the database: token buckets in the table `rate_limits`, each one a timestamp (`Bucket`).
///
/// An attempt takes from several buckets at once, all or nothing: a refused attempt changes none of them. So the refused tries of an
/// attacker do not keep any bucket empty, neither the attacker's nor the victim's. Other reads are sent in the same round trip. The times
/// come from this process's clock; see `Bucket.slack` for clocks that differ. Attempts share their commits and do not wait for the disk: a
/// crash of the database server gives back what was taken in its last moments, except by what was committed behind it.
package struct RateLimits: Sendable {
    let storage: Storage
    let clock: Clock
    package let refusals: Refusals

    /// - Parameter refusals: shared by all loops of the process.
    package init(database: Database, clock: Clock, refusals: Refusals) {
        storage = Storage(database: database)
        self.clock = clock
        self.refusals = refusals
    }

    /// Charges a call that is limited by its client and its project alone, in one round trip. Throws what `charge(_:then:)` throws.
    package func charge(
        _ action: LimitedAction, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        try await charge(Attempt(action, from: client, in: project))
    }

    /// Takes from the attempt's buckets, and returns the rows of `read` from the same round trip; without `read`, no rows.
    ///
    /// Throws `tooManyAttempts`, or `quotaExceeded` when the project, or a region of numbers in it, has reached its limit; then nothing was taken. When the database
    /// cannot be asked, this throws too, since without it the limited action could not run anyway.
    @discardableResult
    func charge(_ attempt: Attempt, then read: SQL? = nil) async throws(AccountError) -> [Row] {
        guard !attempt.charges.isEmpty else {
            guard let read else { return [] }
            return try await storage.read(read)
        }
        if let fault = read?.fault {
            // An attempt whose read cannot be sent is charged all the same; otherwise the database would refuse both together.
            try await charge(attempt)
            throw AccountError(fault)
        }
        return try await charge(attempt, taking: true, with: read)
    }

    @discardableResult
    private func charge(_ attempt: Attempt, taking takes: Bool, with read: SQL?) async throws(AccountError) -> [Row] {
        let now = clock.now()
        // When other attempts took the last of a bucket between the statement's look and its take, all of it was rolled back; the next look
        // sees the new state.
        let results = try await retryingConflicts(tries: 5) { () async throws(AccountError) in
            try await storage.write(
                all: [charge(attempt, taking: takes, at: now)] + (read.map { [$0] } ?? []), sharingCommitAs: attempt.busiest,
                durability: .soon)
        }
        guard let refused = try refusal(results, of: attempt) else { return results.count > 1 ? results[1] : [] }
        refusals.note(attempt, refused, at: now)
        throw refused.scope == .project || refused.scope == .region
            ? .quotaExceeded(refused.action) : .tooManyAttempts(refused.action, by: refused.scope)
    }

    /// Charges an attempt whose outcome a comparison in memory has told already, as if every attempt were charged before it is compared, and
    /// a right one given back at once. So a right attempt takes nothing, and is refused where a wrong one is: a refusal says nothing about
    /// what was shown. One round trip, in turn with the other attempts that this loop has from the address.
    ///
    /// Throws what `charge(_:then:)` throws.
    func charge(_ attempt: Attempt, unlessRight isRight: Bool) async throws(AccountError) {
        guard !attempt.charges.isEmpty else { return }
        try await charge(attempt, taking: !isRight, with: nil)
    }

    private func refusal(_ results: [[Row]], of attempt: Attempt) throws(AccountError) -> Attempt.Charge? {
        guard let row = results.first?.first, let number = try reading({ try row.value(as: Int?.self) }) else { return nil }
        guard attempt.charges.indices.contains(number) else { throw .database(.decoding("number \(number) of a charge")) }
        return attempt.charges[number]
    }

    /// `Bucket.take` for all buckets of the attempt, in one statement: the number of the first that refuses, or NULL.
    ///
    /// A refused attempt only reads, except where it sets right what a clock left in the future. One that is let through takes in the order
    /// of keys, so that two attempts never wait for each other in a circle; each take looks again at the row it has locked, and if
    /// then a bucket does refuse, the others are undone. Several attempts that share a commit may wait in a circle with others; then their
    /// batch gives up, and each runs by itself.
    ///
    /// - Parameter takes: whether the attempt costs anything. One that costs nothing locks only buckets that lack something, where attempts
    ///   may be under way.
    private func charge(_ attempt: Attempt, taking takes: Bool, at now: Instant) -> SQL {
        let project = attempt.projectID
        let (lacking, cost): (SQL, SQL) = takes ? ("", "a.cost") : (" AND a.key IN (SELECT key FROM found WHERE lacks)", "0 * a.cost")
        let due: SQL = takes ? "*" : "CASE WHEN lacks THEN 1 END"
        return """
            WITH asked (number, key, cost, span) AS (\(Self.values(attempt))),
            found AS (
                SELECT a.number, a.key, a.span, greatest(r.full_at, \(now)) + a.cost > \(now) + a.span AS refuses, r.full_at > \(now) AS lacks,
                    r.full_at > \(now) + a.span + \(Bucket.slack.microseconds) * interval '1 microsecond' AS errs
                FROM asked a LEFT JOIN rate_limits r ON r.project_id = \(project: project) AND r.key = a.key
            ), corrected AS (
                UPDATE rate_limits r SET full_at = \(now) + f.span FROM found f
                WHERE f.errs AND r.project_id = \(project: project) AND r.key = f.key
            ), taken AS (
                INSERT INTO rate_limits AS r (project_id, key, full_at)
                SELECT \(project: project), a.key, \(now) + \(cost) FROM asked a
                WHERE NOT EXISTS (SELECT FROM found WHERE refuses)\(lacking) ORDER BY a.key
                ON CONFLICT (project_id, key) DO UPDATE
                SET full_at = greatest(r.full_at, \(now)) + (SELECT \(cost) FROM asked a WHERE a.key = excluded.key)
                WHERE greatest(r.full_at, \(now)) <= (SELECT \(now) + a.span - a.cost FROM asked a WHERE a.key = excluded.key)
                RETURNING key
            )
            SELECT min(number) FILTER (WHERE refuses),
                CASE WHEN NOT (bool_or(refuses) OR count(\(due)) = (SELECT count(*) FROM taken)) THEN raise_overtaken() END
            FROM found
            """
    }

    private static func values(_ attempt: Attempt) -> SQL {
        var rows: SQL?
        for (number, charge) in attempt.charges.enumerated() {
            let row: SQL = """
                SELECT \(number), \(charge.key), \(charge.rate.interval.microseconds) * interval '1 microsecond',
                    \(charge.rate.span.microseconds) * interval '1 microsecond'
                """
            rows = rows.map { "\($0) UNION ALL \(row)" } ?? row
        }
        return rows ?? "SELECT"
    }

    /// Statements to commit together with a successful attempt: they clear the account's failures and return this attempt to its client
    /// address. So an honest person never reaches a limit, while failures by others at that address stay counted, and only the account's
    /// own buckets are cleared.
    func success(of attempt: Attempt) -> [SQL] {
        giveBack(attempt) { $0.scope.isOfAccount ? Self.all : $0.scope == .address ? $0.rate.interval : nil }
    }

    /// Statements to commit when the owner has proven themselves in another way, such as by a code from their mailbox: they clear the
    /// failures of the account, from this and all other addresses. `attempt` was not charged, so its address gets nothing back.
    func forgiveness(of attempt: Attempt) -> [SQL] { giveBack(attempt) { $0.scope.isOfAccount ? Self.all : nil } }

    /// Statements that return what the attempt took, and no more: it was neither right nor wrong.
    func refund(of attempt: Attempt) -> [SQL] { giveBack(attempt) { $0.rate.interval } }

    /// More than any bucket can lack, so that it is full again.
    private static let all = Duration.seconds(366 * 86400)

    /// Locks in the order of the keys, as charges do.
    /// - Parameter amount: what a bucket gets back.
    private func giveBack(_ attempt: Attempt, _ amount: (Attempt.Charge) -> Duration?) -> [SQL] {
        var rows: SQL?
        for charge in attempt.charges {
            guard let back = amount(charge) else { continue }
            let row: SQL = "SELECT \(charge.key), \(back.microseconds) * interval '1 microsecond'"
            rows = rows.map { "\($0) UNION ALL \(row)" } ?? row
        }
        guard let rows else { return [] }
        return [
            """
            WITH given_back (key, back) AS (\(rows)),
            held AS (
                SELECT r.key, s.back FROM given_back s JOIN rate_limits r ON r.project_id = \(project: attempt.projectID) AND r.key = s.key
                ORDER BY r.key FOR UPDATE OF r
            )
            UPDATE rate_limits r SET full_at = r.full_at - held.back FROM held
            WHERE r.project_id = \(project: attempt.projectID) AND r.key = held.key
            """
        ]
    }
}

extension LimitScope {
    fileprivate var isOfAccount: Bool { self == .account || self == .accountAndAddress }
}
