/// Why a statement gave no rows. Descriptions name schema objects and states, never a bound value.
package enum PostgresError: Error, Equatable, Sendable {
    /// The database is down, read-only, full or at one of its limits, or too much waits for it. A write answered so may have happened.
    case unavailable(String)
    /// The statement ran longer than `DatabaseSettings.statementTimeout` and was cancelled.
    case timedOut
    /// A constraint refused the row; `name` is the constraint's, or the column's for NOT NULL (state 23502).
    case constraint(name: String, state: String)
    /// PostgreSQL refused the statement. <https://www.postgresql.org/docs/15/errcodes-appendix.html>
    case sql(state: String, message: String)
    /// A column can't be read as what the code asked for.
    case decoding(String)
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "database unavailable: \(reason)"
        case .timedOut: "statement timed out"
        case .constraint(let name, let state): "constraint \(name) refused the row (\(state))"
        case .sql(let state, let message): "SQL error \(state): \(message)"
        case .decoding(let reason): "unexpected column: \(reason)"
        }
    }
}

/// What the server said when it refused a statement.
struct ServerError: Error, Equatable {
    var state: String
    var message: String
    var constraint: String?
    var column: String?
    /// FATAL or PANIC: the server ends the connection.
    var endsConnection = false

    /// As callers see it. What is refused while it is prepared has met no value yet, so that message is whole and quotes the statement.
    func publicError(preparing text: String) -> PostgresError {
        state == "57014" ? .timedOut : .sql(state: state, message: "\(message), in: \(text.prefix(200))")
    }

    /// As callers see it. "invalid input syntax for type uuid: "…"" and the like quote a value, so most messages are withheld.
    var publicError: PostgresError {
        switch state {
        case "57014": .timedOut
        case _ where isOutOfService: .unavailable("\(message) (\(state))")
        case _ where state.hasPrefix("23"): .constraint(name: constraint ?? column ?? "", state: state)
        case _ where state == "42501" || Self.namesOnlySchema.contains(String(state.prefix(2))): .sql(state: state, message: message)
        default: .sql(state: state, message: "message withheld, it may quote a value")
        }
    }

    /// Classes of states whose primary message speaks of the schema, the transaction or the server.
    private static let namesOnlySchema: Set<String> = ["0A", "25", "26", "40", "53", "54", "55", "57", "58"]

    /// The server has no room (disk, memory, connections) or is going down: nothing is wrong with the statement.
    private var isOutOfService: Bool { state.hasPrefix("53") || state.hasPrefix("57P") }

    /// The statement writes, and the server takes no writes: a standby, or a primary that was made read-only.
    var isReadOnly: Bool { state == "25006" }

    /// The connection's prepared statement is gone (`DISCARD`, a pooler) or no longer fits its tables (a migration): prepare it again.
    var isStaleStatement: Bool {
        state == "26000" || state == "0A000"
    }
}
