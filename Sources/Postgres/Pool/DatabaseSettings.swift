import Runtime

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
    /// After so much silence on all connections a new connection is tried for the same time: when that says nothing either, the
    /// server is frozen or cut off, and what awaits its answers fails.
    package var quiet = Duration.seconds(2)
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

    /// The connection's keywords: `url` with what it leaves open.
    func keywords(_ url: ConnectionString, for kind: Connection.Kind) -> ConnectionString {
        var url = url
        switch kind {
        case .read: if url.hasSeveralHosts { url.setDefault("target_session_attrs", "read-write") }
        case .write: url.requireWrites()
        }
        url["client_encoding"] = "UTF8"
        url.setDefault("fallback_application_name", applicationName)
        // Kerberos, which libpq tries first, blocks.
        url.setDefault("gssencmode", "disable")
        url.setDefault("keepalives_idle", "30")
        url.setDefault("keepalives_interval", "10")
        url.setDefault("keepalives_count", "3")
        return url
    }

    /// The first statement of every session: what guards it. These are no startup parameters, since poolers refuse those, and libpq takes
    /// a server whose sessions begin read-only for one that takes no writes.
    func guards(of kind: Connection.Kind) -> SQL {
        let milliseconds = "\(statementTimeout.microseconds / 1000)"
        let readOnly: SQL = kind == .read ? ", set_config('default_transaction_read_only', 'on', false)" : ""
        return """
            SELECT set_config('statement_timeout', \(milliseconds), false), set_config('jit', 'off', false),
                set_config('idle_in_transaction_session_timeout', \(milliseconds), false)\(readOnly)
            """
    }
}
