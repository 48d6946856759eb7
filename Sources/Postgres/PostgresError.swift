/// The reason why a statement returned no rows. Descriptions name schema objects and states, never a bound value.
package enum PostgresError: Error, Equatable, Sendable {
    /// The database is down, read-only, full or at one of its limits, or too many calls wait for it. A write with this answer may have
    /// happened.
    case unavailable(String)
    /// The statement ran longer than `DatabaseSettings.statementTimeout` and was cancelled.
    case timedOut
    /// Other transactions kept a row locked for longer than `DatabaseSettings.lockTimeout`, or waited in a circle with this one. Nothing was written.
    case locked
    /// A constraint refused the row; `name` is that of the constraint, or of the column for NOT NULL (state 23502).
    case constraint(name: String, state: String)
    /// PostgreSQL refused the statement. <https://www.postgresql.org/docs/15/errcodes-appendix.html>
    case sql(state: String, message: String)
    /// A column cannot be read as the type that the code asked for.
    case decoding(String)
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "database unavailable: \(reason)"
        case .timedOut: "statement timed out"
        case .locked: "another transaction has locked a row for too long"
        case .constraint(let name, let state): "constraint \(name) refused the row (\(state))"
        case .sql(let state, let message): "SQL error \(state): \(message)"
        case .decoding(let reason): "unexpected column: \(reason)"
        }
    }
}

/// The server's reason for refusing a statement.
struct ServerError: Error, Equatable {
    var state: String
    var message: String
    var constraint: String?
    var column: String?
    /// FATAL or PANIC: the server ends the connection.
    var endsConnection = false

    /// The error for callers. A statement that is refused while it is prepared has met no value yet, so the message is complete and quotes
    /// the statement.
    func publicError(preparing text: String) -> PostgresError {
        let error = publicError
        switch error {
        case .timedOut, .locked, .unavailable: return error
        default: return .sql(state: state, message: "\(message), in: \(text.prefix(200))")
        }
    }

    /// The error for callers. Messages such as "invalid input syntax for type uuid: "…"" quote a value, so most messages are withheld.
    var publicError: PostgresError {
        switch state {
        case "57014": .timedOut
        case _ where isOfLocks: .locked
        case _ where isOutOfService: .unavailable("\(message) (\(state))")
        case _ where state.hasPrefix("23"): .constraint(name: constraint ?? column ?? "", state: state)
        case _ where state == "42501" || Self.namesOnlySchema.contains(String(state.prefix(2))): .sql(state: state, message: message)
        default: .sql(state: state, message: "message withheld, it may quote a value")
        }
    }

    /// Classes of states whose message names only the schema, the transaction or the server.
    private static let namesOnlySchema: Set<String> = ["0A", "25", "26", "40", "53", "54", "55", "57", "58"]

    /// `lock_not_available`, `deadlock_detected`.
    private var isOfLocks: Bool { state == "55P03" || state == "40P01" }

    /// The server has no room (disk, memory, connections) or is shutting down; the statement itself is correct.
    private var isOutOfService: Bool { state.hasPrefix("53") || state.hasPrefix("57P") }

    /// The statement writes, but the server takes no writes: it is a standby, or a primary that was made read-only.
    var isReadOnly: Bool { state == "25006" }

    /// The connection's prepared statement is gone (`DISCARD`, a pooler) or does not fit its tables any more (a migration), so it must be
    /// prepared again.
    var isStaleStatement: Bool {
        state == "26000" || state == "0A000"
    }
}
