import Curl
import HTTP
import Logging
package import Postgres
import Runtime

/// Examines an installation: its configuration, its database, its providers, its mail server, its address and its running server. It
/// reads, asks, and changes nothing.
///
/// `gatehouse check --live` prints the parts that say whether a server could start and sign people in, `gatehouse doctor` all of them.
/// Each part is a type of its own, in a file here.
package struct Checkup: Sendable {
    private let configuration: Configuration
    /// The file of the configuration.
    private let path: String
    private let clock = Clock.system
    private let loop: Loop
    /// Obeys the server's own rules on what it may call.
    private let client: HTTPClient
    /// Calls this installation's own addresses, wherever they are.
    private let ownClient: HTTPClient

    /// - Parameter authorities: a PEM file of authorities to trust at `publicURL`, instead of the system's.
    package init(_ configuration: Configuration, path: String, authorities: String? = nil) throws {
        self.configuration = configuration
        self.path = path
        loop = try Loop(index: 0)
        client = try HTTPClient(loop: loop, policy: configuration.server.dialPolicy, metrics: Metrics(), log: .silent)
        let everywhere = ["0.0.0.0/0", "::/0"].compactMap { CIDR($0) }
        ownClient = try HTTPClient(
            loop: loop, policy: .allowing(everywhere), metrics: Metrics(), log: .silent, authorities: authorities)
    }

    private var settings: ServerSettings { configuration.server }

    /// One thing that was examined, and what there is to say of it.
    package struct Part: Sendable {
        package let name: String
        package let findings: [Finding]

        package init(_ name: String, _ findings: [Finding]) {
            self.name = name
            self.findings = findings
        }
    }

    /// Examines everything, and tells each part as soon as it is done.
    package func run(_ tell: (Part) -> Void) async throws {
        tell(Part("configuration", configuration.notes.map { .warning("configuration.note", $0, "see the line that it names") }))
        tell(Part("settings", SettingsChecks(configuration: configuration).findings()))
        tell(Part("files", FileChecks(settings: settings, path: path).findings()))
        let database = openDatabase()
        let live = await databaseChecks.examine(database)
        tell(Part("database", live.findings))
        if live.holdsOurSchema { tell(Part("data", await DataChecks(configuration: configuration, clock: clock).findings(database))) }
        for part in await providerParts() + migrationParts() + passkeyParts() { tell(part) }
        if let findings = await mailFindings() { tell(Part("mail", findings)) }
        tell(Part("server", await RunningServerChecks(settings: settings, path: path, client: ownClient).findings()))
        let publicURL = PublicURLChecks(configuration: configuration, client: ownClient, clock: clock)
        tell(Part("publicURL", await publicURL.findings(live.holdsOurSchema ? database : nil)))
        await database.close()
    }

    /// Asks whether a server can work on the database: sessions, schema, clock, connections.
    package func essentials(_ database: Database) async -> LiveDatabase { await databaseChecks.examineEssentials(database) }

    /// Asks every provider of every project, one part for each.
    package func providerParts() async -> [Part] {
        await ProviderChecks(projects: configuration.projects, client: client, clock: clock).parts()
    }

    /// Asks the hosts of the projects' RP IDs for the files that passkeys of apps and of other sites need, one part for each host.
    package func passkeyParts() async -> [Part] { await PasskeyChecks(projects: configuration.projects, client: ownClient).parts() }

    /// Asks Google about the Firebase project of every project whose people come from one, one part for each.
    package func migrationParts() async -> [Part] {
        await MigrationChecks(projects: configuration.projects, client: client, clock: clock).parts()
    }

    /// Greets the mail server, and logs in there; `nil` without mail.
    package func mailFindings() async -> [Finding]? { await MailChecks(settings: settings, client: client).findings() }

    private var databaseChecks: DatabaseChecks { DatabaseChecks(configuration: configuration, clock: clock) }

    package func openDatabase() -> Database {
        return Database(loop: loop, url: settings.database, settings: settings.databasePool, metrics: Metrics(), log: .silent)
    }
}
