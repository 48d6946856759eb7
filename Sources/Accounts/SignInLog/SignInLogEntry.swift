import Postgres
package import Runtime

/// A line of the log of sign-ins: who signed in or was refused, when, by which way, and from which network.
package struct SignInLogEntry: Sendable, Equatable {
    /// Made once, so that a line that is written a second time is still one.
    package let id: Int64
    package let time: Instant
    /// The id of a provider, or a name of `SignInProvider`, as in metrics.
    package let provider: String
    /// The name of a `SignInMetrics.Outcome`. Another version may have stored it.
    package let outcome: String
    /// The reason of a refusal; `nil` for other outcomes.
    package let code: String?
    /// `nil` where it is not known whose sign-in it was.
    package let accountID: String?
    /// The client's, as a range of addresses.
    package let network: String?
}

extension SignInLogEntry {
    static let columns: SQL = "entry_id, occurred_at, provider, outcome, code, account_id, network"

    /// Reads `columns`.
    init(_ row: inout RowReader) throws(PostgresError) {
        id = try row.next()
        time = try row.next()
        provider = try row.next()
        outcome = try row.next()
        code = try row.next()
        accountID = try row.next()
        network = try row.next()
    }

    /// Stores lines of one project. Those that are there already stay one.
    static func insertion(of entries: [SignInLogEntry], in project: String) -> SQL {
        """
        INSERT INTO sign_in_log (project_id, entry_id, occurred_at, provider, outcome, code, account_id, network)
        SELECT \(project: project), entry_id, timestamptz 'epoch' + microseconds * interval '1 microsecond', provider, outcome, code, account_id,
            network
        FROM unnest(\(entries.map(\.id)), \(entries.map(\.time.microseconds)), \(entries.map(\.provider)), \(entries.map(\.outcome)),
            \(entries.map(\.code)), \(entries.map(\.accountID)), \(entries.map(\.network)))
            AS noted (entry_id, microseconds, provider, outcome, code, account_id, network)
        ON CONFLICT (project_id, entry_id) DO NOTHING
        """
    }
}
