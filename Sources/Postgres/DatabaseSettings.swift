/// How many connections a loop's `Database` has and how long it waits.
package struct DatabaseSettings: Sendable {
    /// Shared connections for `query`; opened as they are needed.
    package var readConnections = 2
    /// Connections for `write` and `transaction`, one of either at a time each; opened as they are needed.
    package var writeConnections = 8
    /// How many writes are committed together at most, of those that may be (`write(_:sharingCommitAs:)`).
    package var writesTogether = 16
    /// What one statement may take on the server; also how long a transaction may stay idle between statements.
    package var statementTimeout = Duration.seconds(10)
    /// How much longer than `statementTimeout` a connection may stay silent before it is given up.
    package var silence = Duration.seconds(2)
    /// What opening a connection may take, name resolution included.
    package var connectTimeout = Duration.seconds(5)
    /// How long a call waits for a connection. While the database has been down for longer, calls fail at once.
    package var patience = Duration.seconds(2)
    /// Calls that may wait for a write connection, and as many again for the first read connection; more are refused at once.
    package var waiting = 1024
    /// Reads that may be under way on each connection; more are refused at once.
    package var readsUnderWay = 8192
    /// Statements kept prepared on each connection.
    package var statements = 512
    /// What `pg_stat_activity` shows.
    package var applicationName = "gatehouse"

    package init() {}

    /// The connection's keywords: `url` with what it leaves open, and the session's parameters.
    func keywords(_ url: ConnectionString, isReadOnly: Bool) -> ConnectionString {
        var url = url
        url["client_encoding"] = "UTF8"
        url.setDefault("fallback_application_name", applicationName)
        // Kerberos, which libpq tries first, blocks.
        url.setDefault("gssencmode", "disable")
        url.setDefault("keepalives_idle", "30")
        url.setDefault("keepalives_interval", "10")
        url.setDefault("keepalives_count", "3")
        let milliseconds = statementTimeout.components.seconds * 1000 + statementTimeout.components.attoseconds / 1_000_000_000_000_000
        var parameters = [
            "statement_timeout=\(milliseconds)", "idle_in_transaction_session_timeout=\(milliseconds)", "jit=off",
        ]
        if isReadOnly { parameters.append("default_transaction_read_only=on") }
        url["options"] = ([url["options"] ?? ""] + parameters.map { "-c \($0)" }).joined(separator: " ")
        return url
    }
}
