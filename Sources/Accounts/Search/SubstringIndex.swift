package import Postgres

/// The index by which texts in the middle of addresses and names are found. It costs space and slows sign-ups, so no migration makes it: an operator
/// does, who wants the search.
package struct SubstringIndex: Sendable {
    /// The text that is searched, of a row of `accounts a`.
    static let text: SQL = "lower(coalesce(a.email, '') || ' ' || coalesce(a.display_name, ''))"

    private let database: Database

    /// - Parameter database: one whose statements may take long.
    package init(database: Database) { self.database = database }

    package enum State: Sendable, Equatable {
        case absent
        /// It is being made, or could not be made to its end.
        case unfinished
        case ready
    }

    static let isReady: SQL = """
        SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('accounts_substring')
        """

    static func state(_ rows: [Row]) throws(AccountError) -> State {
        guard let row = rows.first else { return .absent }
        return try reading { try row.value(as: Bool.self) ? .ready : .unfinished }
    }

    package func state() async throws(AccountError) -> State {
        try Self.state(try await Storage(database: database).read(Self.isReady))
    }

    /// Makes the index, while sign-ins go on. One that could not be made to its end is dropped before. Needs the rights to create the extensions
    /// `pg_trgm` and `btree_gin`, which PostgreSQL trusts the owner of a database with.
    package func make() async throws(AccountError) {
        let storage = Storage(database: database)
        switch try await state() {
        case .ready: return
        case .unfinished: try await drop()
        case .absent: break
        }
        _ = try await storage.write("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        _ = try await storage.write("CREATE EXTENSION IF NOT EXISTS btree_gin")
        _ = try await storage.write(
            """
            CREATE INDEX CONCURRENTLY accounts_substring ON accounts
            USING gin (project_id, lower(coalesce(email, '') || ' ' || coalesce(display_name, '')) gin_trgm_ops)
            """)
    }

    /// Drops the index; the extensions stay.
    package func drop() async throws(AccountError) {
        _ = try await Storage(database: database).write("DROP INDEX CONCURRENTLY IF EXISTS accounts_substring")
    }
}
