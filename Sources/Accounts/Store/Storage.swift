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
    /// The statements of one pipeline are committed before their results are seen here, so the database itself must refuse.
    static func required(_ statement: SQL) -> SQL { "WITH touched AS (\(statement)) SELECT \(overtakenIfNone) FROM touched" }

    /// An expression for a SELECT over the rows that a statement returned: when there are none, it undoes the whole write
    /// (`AccountError.overtaken`). The function is called only then.
    static let overtakenIfNone: SQL = "CASE WHEN count(*) = 0 THEN raise_overtaken() END"
}

/// States of our own, which functions of the schema raise.
enum SQLState {
    /// Of `raise_overtaken`.
    static let overtaken = "OV001"
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
            case .sql(state: SQLState.overtaken, message: _): .overtaken
            default: .database(error)
            }
    }
}
