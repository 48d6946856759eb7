import Runtime

/// How many connections a loop's `Database` has, and how long it waits.
package struct DatabaseSettings: Sendable {
    /// Shared connections for `query`; opened when they are needed.
    package var readConnections = 2
    /// Connections for `write` and `transaction`, each used by one of them at a time; opened when they are needed.
    package var writeConnections = 8
    /// The most writes that are committed together, of those that may share a commit (`write(_:sharingCommitAs:)`).
    package var writesTogether = 16
    /// How long one statement may take on the server, and how long a transaction may stay idle between statements.
    package var statementTimeout = Duration.seconds(10)
    /// How much longer than `statementTimeout` a connection may stay silent before it is given up.
    package var silence = Duration.seconds(2)
    /// After this much silence on all connections, a new connection is tried for the same time. When that gets no answer either, the
    /// server is frozen or cut off, and the calls that wait for its answers fail.
    package var quiet = Duration.seconds(2)
    /// How long opening a connection may take, name resolution included.
    package var connectTimeout = Duration.seconds(5)
    /// How long a call waits for a connection. When the database has been down for longer than this, calls fail at once.
    package var patience = Duration.seconds(2)
    /// How many calls may wait for a write connection, and as many again for the first read connection; more are refused at once.
    package var waiting = 1024
    /// How many of them may wait one by one for a row that they all lock, such as that of one account.
    package var waitingForOneRow = 64
    /// How many reads may wait for an answer on each connection; more are refused at once.
    package var readsUnderWay = 8192
    /// How many statements are kept prepared on each connection.
    package var statements = 512
    /// The name that `pg_stat_activity` shows, unless the URL has one.
    package var applicationName = "gatehouse"
    /// The name of a second pool of a loop; `nil` for the loop's usual one. `pg_stat_activity` shows it behind the application's name, metrics as the
    /// label `loop`, and log lines as `pool`.
    package var poolName: String?
    /// The number of the newest migration that the program knows. While it is connected, a migration that needs a newer program is not applied.
    package var newestMigration: Int?

    /// The value of the label `loop` in metrics.
    package func label(onLoop index: Int) -> String { poolName ?? String(index) }

    /// The first number of the advisory lock that each session of a program holds, shared; the second is `newestMigration`. "gate" in ASCII.
    static let programs: Int32 = 0x6761_7465

    package init() {}

    /// How long a statement waits for a row that another transaction has locked. Such a wait keeps a connection, so it is shorter than a statement
    /// may take.
    var lockTimeout: Duration { statementTimeout / 5 }

    /// The keywords of a connection: `url`, completed with defaults.
    func keywords(_ url: ConnectionString, for kind: DatabaseConnection.Kind) -> ConnectionString {
        var url = url
        switch kind {
        case .read: if url.hasSeveralHosts { url.setDefault("target_session_attrs", "read-write") }
        case .write: url.requireWrites()
        }
        url["client_encoding"] = "UTF8"
        let suffix = poolName.map { " \($0)" } ?? ""
        url.setDefault("fallback_application_name", applicationName + suffix)
        if let own = url["application_name"] { url["application_name"] = own + suffix }
        // libpq tries Kerberos first, and that would block.
        url.setDefault("gssencmode", "disable")
        url.setDefault("keepalives_idle", "30")
        url.setDefault("keepalives_interval", "10")
        url.setDefault("keepalives_count", "3")
        return url
    }

    /// The first statement of every session, which sets its limits, and how PostgreSQL plans: the rows that are asked for by their keys are
    /// mostly in memory, where a page costs the same wherever it is. They are not startup parameters, since poolers refuse those, and libpq
    /// would take a server whose sessions begin read-only for one that takes no writes.
    func guards(of kind: DatabaseConnection.Kind) -> SQL {
        let milliseconds = "\(statementTimeout.microseconds / 1000)"
        let lockMilliseconds = "\(max(1, lockTimeout.microseconds / 1000))"
        let readOnly: SQL = kind == .read ? ", set_config('default_transaction_read_only', 'on', false)" : ""
        let program: SQL = newestMigration.map { ", pg_advisory_lock_shared(\(Self.programs), \(Int32($0)))" } ?? ""
        return """
            SELECT set_config('statement_timeout', \(milliseconds), false),
                set_config('lock_timeout', \(lockMilliseconds), false),
                set_config('idle_in_transaction_session_timeout', \(milliseconds), false),
                set_config('jit', 'off', false), set_config('random_page_cost', '1', false)\(readOnly)\(program)
            """
    }
}
