import Postgres

/// The database of one loop as the rules use it: the same calls, with errors in the rules' own words.
struct Storage: Sendable {
    let database: Database

    /// A statement that only reads; shares its round trip with whatever else the loop reads in this turn.
    func read(_ sql: SQL) async throws(AccountError) -> [Row] {
        do { return try await database.query(sql) } catch { throw AccountError(error) }
    }

    func write(_ sql: SQL) async throws(AccountError) -> [Row] {
        do { return try await database.write(sql) } catch { throw AccountError(error) }
    }

    /// For a statement that locks one `row` and no other: shares its commit with others of this kind.
    func write(_ sql: SQL, sharingCommitAs row: [UInt8]) async throws(AccountError) -> [Row] {
        do { return try await database.write(sql, sharingCommitAs: row) } catch { throw AccountError(error) }
    }

    /// All statements or none, in one round trip.
    func write(all statements: [SQL]) async throws(AccountError) -> [[Row]] {
        do { return try await database.write(all: statements) } catch { throw AccountError(error) }
    }
}

extension SQL {
    /// `statement`, which must touch a row, or else the whole write is undone (`AccountError.overtaken`).
    ///
    /// Statements of one pipeline are committed before anybody has seen their results, so the database itself must refuse: it divides by
    /// the number of rows that `statement` returns.
    static func required(_ statement: SQL) -> SQL { "WITH touched AS (\(statement)) SELECT 1 / count(*) FROM touched" }
}

extension AccountError {
    /// The constraints of the schema are the rules' last word: two requests that race meet here.
    init(_ error: PostgresError) {
        self =
            switch error {
            case .constraint(name: "accounts_email", state: _): .emailTaken
            case .constraint(name: "identities_subject", state: _), .constraint(name: "identities_alias", state: _),
                .constraint(name: "identities_provider", state: _):
                .identityTaken
            case .constraint(name: "identities_account", state: _): .accountNotFound
            // What `SQL.required` divides by was zero.
            case .sql(state: "22012", message: _): .overtaken
            default: .database(error)
            }
    }
}
