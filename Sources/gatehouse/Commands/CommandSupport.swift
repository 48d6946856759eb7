import Accounts
import Crypto
import Curl
import Glibc
import HTTP
import Identity
import Logging
import Postgres
import ProjectSettings
import Runtime
import Server
import Web

/// Code for all commands that use the database.
enum CommandSupport {
    /// Opens the database, on a loop of its own, for as long as a command runs. Refuses a schema that is not this binary's.
    ///
    /// - Parameter longest: how long a statement may take, where that is longer than the configuration says.
    static func withDatabase(
        _ common: CommonOptions, statementsLasting longest: Duration? = nil, _ body: (Database, MasterKey) async throws -> Void
    ) async throws {
        let settings = try common.serverSettings()
        let database = open(settings, on: try Loop(index: 0), statementsLasting: longest)
        do {
            try await database.verifySessions()
            try await settings.schema.verify(database)
        } catch { throw Failed(StartFailure.text(error)) }
        do { try await body(database, settings.masterKey) } catch let error as AccountError { throw Failed(StartFailure.text(error)) }
        await database.close()
    }

    /// The rules about accounts, for a command that asks them as a server does. It signs nothing.
    static func accounts(_ settings: ServerSettings, _ database: Database) -> Accounts {
        let metrics = Metrics()
        let pool = HashingPool(threads: settings.passwordHashing.threads, queue: settings.passwordHashing.queue, metrics: metrics)
        return Accounts(
            database: database, masterKey: settings.masterKey, clock: .system, publicURL: settings.publicURL, signingKeys: SigningKeys(),
            passwords: PasswordHashing(pool: pool, parameters: settings.passwordHashing.scrypt),
            deliveries: Deliveries(database: database, masterKey: settings.masterKey, clock: .system), sendsMail: false,
            refusals: Refusals(metrics: metrics, log: .silent), signIns: SignInLog(SignInMetrics(metrics), metrics: metrics),
            log: .silent)
    }

    /// The operator, whose shell is the proof. Audit events name the command.
    static func administrator(_ command: String, of project: ProjectSettings) -> Administrator {
        Administrator(command: command, of: project)
    }

    /// The same for a rule that needs nothing of the project but its id.
    static func administrator(_ command: String, ofProject id: String) -> Administrator {
        administrator(command, of: ProjectSettings(id: id, number: 0, apiKeys: [], authorizedDomains: [], redirectURLs: []))
    }

    /// Applies the migrations that the database does not have, and returns their names.
    ///
    /// Throws, and changes nothing, when a pooler between this machine and the database would let other clients into the session that holds
    /// the lock, and when the configured master key is not the database's: one of the two belongs to another installation.
    static func migrate(_ settings: ServerSettings) async throws -> [String] {
        let database = open(settings, on: try Loop(index: 0))
        do { try await database.verifySessions() } catch { throw Failed(StartFailure.text(MigrationError.database(error))) }
        let faults: [Finding]
        do { faults = try await MasterKeyFindings.findings(database, settings, .system) } catch { throw Failed(StartFailure.text(error)) }
        await database.close()
        if let fault = faults.first { throw Failed("nothing was migrated: \(fault.sentence)") }
        return try await settings.schema.migrate(url: settings.database)
    }

    /// The text without characters that would do something to a terminal: what a provider or a client said may hold them.
    static func visible(_ text: String) -> String { ProfileText.readable(text) }

    /// An address as accounts have it. Throws `Failed` for a text that is not one.
    static func canonical(_ email: String) throws -> String {
        guard let address = EmailAddress.canonical(email) else { throw Failed("\"\(visible(email))\" is not an e-mail address") }
        return address
    }

    /// Prints on standard error what is not a part of a command's result, so that the result can go to a file.
    static func remark(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }

    /// Permits calls to the server of this machine alone.
    static func thisMachine(_ address: ListenAddress) -> DialPolicy {
        .allowing([CIDR("\(address.host)/\(address.host.isV4 ? 32 : 128)")].compactMap(\.self))
    }

    /// A client for the requests of one command, without metrics.
    static func client(dialling policy: DialPolicy, on loop: Loop) throws -> HTTPClient {
        try HTTPClient(loop: loop, policy: policy, metrics: Metrics(), log: .silent)
    }

    /// A database for one command, without metrics.
    static func open(_ settings: ServerSettings, on loop: Loop, statementsLasting longest: Duration? = nil) -> Database {
        var pool = settings.databasePool
        if let longest { pool.statementTimeout = longest }
        return Database(loop: loop, url: settings.database, settings: pool, metrics: Metrics(), log: .silent)
    }
}

/// A command did not do what it was told. The process ends with status 1 and prints the reason on standard error.
struct Failed: Error, CustomStringConvertible {
    let description: String
    init(_ reason: String) { description = reason }
}
