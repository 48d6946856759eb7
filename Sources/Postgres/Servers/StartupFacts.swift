package import Runtime

/// The facts that a server asks of its database when it starts: the difference of the clocks, and how many connections are allowed.
package struct StartupFacts: Sendable {
    /// The database's clock minus our own; zero when the time of the round trip explains the difference.
    package let clockDifference: Duration
    /// The lowest limit on connections that applies to this role, and its name.
    package let connections: Int
    package let limit: String
}

extension Database {
    /// Asks in one round trip. `clock` must give the time of day.
    package func startupFacts(_ clock: Clock) async throws(PostgresError) -> StartupFacts {
        let sent = clock.now()
        let rows = try await query(
            """
            SELECT clock_timestamp(), current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
                r.rolconnlimit::bigint, d.datconnlimit::bigint
            FROM pg_roles r, pg_database d WHERE r.rolname = session_user AND d.datname = current_database()
            """)
        let received = clock.now()
        guard var row = rows.first?.reader() else { throw .unavailable("the database knows neither this role nor itself") }
        let now: Instant = try row.next()
        var limits: [(Int, String)] = [(try row.next(), "max_connections less superuser_reserved_connections")]
        for name in ["the role's connection limit", "the database's connection limit"] {
            let limit: Int = try row.next()
            if limit >= 0 { limits.append((limit, name)) }
        }
        let tightest = limits.min { $0.0 < $1.0 } ?? limits[0]
        return StartupFacts(
            clockDifference: now > received ? now - received : now < sent ? now - sent : .zero, connections: tightest.0,
            limit: tightest.1)
    }

    static let needsSessions =
        "a pooler between hands out connections by transaction or by statement; "
        + "it must pool by session (PgBouncer: pool_mode = session, server_reset_query = DISCARD ALL)"

    /// Throws when a pooler hands out connections by transaction: prepared statements and the limits of the session would get to other
    /// clients.
    ///
    /// Two real sessions keep one backend each, whatever happens on the other; a pooler gives one backend to both, or a different one each
    /// time. Call this only while nothing else uses this database.
    package func verifySessions() async throws(PostgresError) {
        // A connection that is lost meanwhile gives the same result once, but not twice.
        if try await haveBackends() { return }
        if try await haveBackends() { return }
        throw .unavailable(Self.needsSessions)
    }

    private func haveBackends() async throws(PostgresError) -> Bool {
        // Reads may go to another server, which may use the same process numbers.
        let question: SQL = "SELECT pg_backend_pid() || ' since ' || pg_postmaster_start_time()"
        let written: String = try await write(question)[0].value()
        let read: String = try await query(question)[0].value()
        let readAgain: String = try await query(question)[0].value()
        let writtenAgain: String = try await write(question)[0].value()
        return written != read && read == readAgain && written == writtenAgain
    }
}
