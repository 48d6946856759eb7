package import Postgres
package import Runtime

/// Cuts the addresses of clients that are older than they are kept to the ranges that they belong to: the first 24 bits of an IPv4 address, the
/// first 48 of an IPv6 address (`Address.network`). Work that no request waits for, project by project.
package struct OldAddresses: Sendable {
    private let storage: Storage
    private let clock: Clock
    private let retention: Retention
    /// The number of rows that one statement reads.
    private let piece: Int

    package init(database: Database, clock: Clock, retention: Retention, piece: Int = 1000) {
        storage = Storage(database: database)
        self.clock = clock
        self.retention = retention
        self.piece = piece
    }

    /// Goes over all known projects, also behind one that failed; throws the first error at the end.
    package func cut() async throws(AccountError) {
        var first: AccountError?
        for project in try await KnownProjects(storage: storage).list() {
            do {
                try await cutSessions(of: project)
                try await cutEvents(of: project)
            } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    private func cutSessions(of project: String) async throws(AccountError) {
        let deadline = clock.now() - retention.addresses
        var position: [UInt8] = []
        while true {
            let rows = try await storage.write(
                """
                WITH piece AS (
                    SELECT session_id, created_at FROM sessions WHERE project_id = \(project: project) AND session_id > \(position)
                    ORDER BY session_id LIMIT \(piece)),
                cut AS (
                    UPDATE sessions s SET address = \(Self.cut("s.address")) FROM piece
                    WHERE s.project_id = \(project: project) AND s.session_id = piece.session_id AND piece.created_at < \(deadline)
                        AND s.address NOT LIKE '%/%')
                SELECT session_id FROM piece ORDER BY session_id
                """)
            guard rows.count == piece, let last = rows.last else { return }
            position = try reading { try last.value() }
        }
    }

    private func cutEvents(of project: String) async throws(AccountError) {
        let deadline = clock.now() - retention.addresses
        var (time, id) = (Instant(seconds: 0), Int64(0))
        while true {
            let rows = try await storage.write(
                """
                WITH piece AS (
                    SELECT occurred_at, event_id FROM audit_events
                    WHERE project_id = \(project: project) AND occurred_at < \(deadline) AND (occurred_at, event_id) > (\(time), \(id))
                    ORDER BY occurred_at, event_id LIMIT \(piece)),
                cut AS (
                    UPDATE audit_events e SET address = \(Self.cut("e.address")) FROM piece
                    WHERE e.project_id = \(project: project) AND e.event_id = piece.event_id AND e.address NOT LIKE '%/%')
                SELECT occurred_at, event_id FROM piece ORDER BY occurred_at, event_id
                """)
            guard rows.count == piece, var last = rows.last?.reader() else { return }
            try reading { (time, id) = (try last.next(), try last.next()) }
        }
    }

    /// A text that is not an address becomes NULL, since it cannot be cut.
    private static func cut(_ address: SQL) -> SQL {
        """
        CASE WHEN \(address) ~ '^[0-9]{1,3}([.][0-9]{1,3}){3}$' THEN network(set_masklen(\(address)::inet, 24))::text
            WHEN \(address) ~ '^[0-9a-f:.]*:[0-9a-f:.]*$' THEN network(set_masklen(\(address)::inet, 48))::text END
        """
    }
}
