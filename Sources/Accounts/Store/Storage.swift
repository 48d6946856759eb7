import Postgres
import ProjectSettings

/// The database of one loop as the rules use it: the same calls, which throw the rules' own errors.
struct Storage: Sendable {
    let database: Database

    /// Runs a statement that only reads. It shares its round trip with the other reads of this turn of the loop.
    func read(_ sql: SQL) async throws(AccountError) -> [Row] {
        do { return try await database.query(sql) } catch { throw AccountError(error) }
    }

    func write(_ sql: SQL) async throws(AccountError) -> [Row] {
        do { return try await database.write(sql) } catch { throw AccountError(error) }
    }

    /// Runs a statement that locks one `row` and no other. It shares its commit with others of this kind.
    func write(_ sql: SQL, sharingCommitAs row: [UInt8]) async throws(AccountError) -> [Row] {
        do { return try await database.write(sql, sharingCommitAs: row) } catch { throw AccountError(error) }
    }

    /// Runs statements that lock one `row` for which others wait. They share their commit with others of this kind and durability.
    func write(
        all statements: [SQL], sharingCommitAs row: [UInt8], durability: Durability = .flushed
    ) async throws(AccountError) -> [[Row]] {
        do {
            return try await database.write(all: statements, sharingCommitAs: row, durability: durability)
        } catch {
            throw AccountError(error)
        }
    }

    /// Runs all statements or none, in one round trip.
    ///
    /// - Parameter account: the id of the account whose lock the statements wait for. However many calls want it, one connection of the loop waits,
    ///   and the others stay free for other accounts.
    func write(all statements: [SQL], waitingFor account: String? = nil) async throws(AccountError) -> [[Row]] {
        do {
            return try await database.write(all: statements, oneAtATimeFor: account.map { Array($0.utf8) })
        } catch {
            throw AccountError(error)
        }
    }

    /// Runs steps that depend on one another's answers. `body` must not wait for anything but the database.
    /// - Parameter account: as in `write(all:waitingFor:)`.
    func transaction<Result>(
        waitingFor account: String, _ body: (Transaction) async throws -> Result
    ) async throws(AccountError) -> Result {
        do { return try await database.transaction(oneAtATimeFor: Array(account.utf8), body) } catch {
            guard let error = error as? PostgresError else { return try reading { throw error } }
            throw AccountError(error)
        }
    }
}

/// Reads columns of an answer. Throws `AccountError.database` with the column that cannot be read.
func reading<Result>(_ read: () throws -> Result) throws(AccountError) -> Result {
    do { return try read() } catch {
        throw error as? AccountError ?? .database(error as? PostgresError ?? .decoding("\(type(of: error))"))
    }
}

extension SQL.StringInterpolation {
    /// Binds the id of the project that the statement is about: `project_id = \(project: project)`. A statement names it for each of its tables,
    /// and it is one parameter, so that a distributed PostgreSQL finds the one shard. A statement about two projects is never sent
    /// (`SQL.fault`).
    mutating func appendInterpolation(project: ProjectSettings) { appendInterpolation(partition: project.storageID) }

    /// The same by a project's `storageID`.
    mutating func appendInterpolation(project storageID: String) { appendInterpolation(partition: storageID) }
}

extension SQL {
    /// Demands that `statement` touches a row; otherwise the whole write is undone (`AccountError.conflict`).
    ///
    /// The statements of one pipeline are committed before this process sees their results, so the database itself must refuse.
    static func required(_ statement: SQL) -> SQL { "WITH touched AS (\(statement)) SELECT \(conflictIfNone) FROM touched" }

    /// Undoes the whole write (`AccountError.conflict`) when the statement that is selected from returned no row: an expression for that
    /// SELECT. Only then does PostgreSQL call the function.
    static let conflictIfNone: SQL = "CASE WHEN count(*) = 0 THEN raise_overtaken() END"
}

/// The SQLSTATEs that functions of the schema raise.
enum SQLState {
    /// Raised by `raise_overtaken`, which has the name of an earlier version.
    static let conflict = "OV001"
}

extension AccountError {
    /// The error of a transaction that spends a token: `refusal` where another one has spent it.
    func ofSpentToken(_ refusal: AccountError) -> AccountError {
        if case .database(.constraint(name: "spent_tokens_pkey", state: _)) = self { refusal } else { self }
    }

    /// Says what a violated constraint of the schema means: two requests that race meet there.
    init(_ error: PostgresError) {
        self =
            switch error {
            case .constraint(name: "accounts_email", state: _): .emailTaken
            case .constraint(name: "accounts_phone_number", state: _): .phoneNumberTaken
            case .constraint(name: "accounts_pkey", state: _): .accountIDTaken
            case .constraint(name: "identities_subject", state: _), .constraint(name: "identities_alias", state: _),
                .constraint(name: "identities_provider", state: _):
                .identityTaken
            case .constraint(name: "passkeys_pkey", state: _), .constraint(name: "operator_passkeys_pkey", state: _): .passkeyTaken
            case .constraint(name: "identities_account", state: _): .accountNotFound
            case .sql(state: SQLState.conflict, message: _): .conflict
            default: .database(error)
            }
    }
}
