import Curl
import HTTP
import Logging
package import Postgres
import Runtime

/// Examines an installation: its configuration, its database, its providers, its mail server, its address and its running server. It
/// reads, asks, and changes nothing.
///
/// `gatehouse check --live` prints the parts that say whether a server could start and sign people in, `gatehouse doctor` all of them.
/// Each part is a file here.
package struct Checkup: Sendable {
    let configuration: Configuration
    /// The file of the configuration.
    let path: String
    let clock: Clock
    let loop: Loop
    /// Obeys the server's own rules on what it may call.
    let client: HTTPClient
    /// Calls this installation's own addresses, wherever they are.
    let ownClient: HTTPClient

    /// - Parameter authorities: a PEM file of authorities to trust at `publicURL`, instead of the system's.
    package init(_ configuration: Configuration, path: String, authorities: String? = nil) throws {
        self.configuration = configuration
        self.path = path
        clock = .system
        loop = try Loop(index: 0)
        let log = Logger(label: "gatehouse") { _ in SwiftLogNoOpLogHandler() }
        client = try HTTPClient(loop: loop, policy: configuration.server.dialPolicy, metrics: Metrics(), log: log)
        let everywhere = ["0.0.0.0/0", "::/0"].compactMap { CIDR($0) }
        ownClient = try HTTPClient(
            loop: loop, policy: .allowing(everywhere), metrics: Metrics(), log: log, authorities: authorities)
    }

    var settings: ServerSettings { configuration.server }

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
        tell(Part("settings", settingsFindings()))
        tell(Part("files", fileFindings()))
        let database = openDatabase()
        let live = await databaseFindings(database)
        tell(Part("database", live.findings))
        if live.holdsOurSchema { tell(Part("data", await dataFindings(database))) }
        for part in await providerParts() { tell(part) }
        if let findings = await mailFindings() { tell(Part("mail", findings)) }
        tell(Part("server", await runningServerFindings()))
        tell(Part("publicURL", await publicURLFindings(live.holdsOurSchema ? database : nil)))
        await database.close()
    }

    package func openDatabase() -> Database {
        let log = Logger(label: "gatehouse") { _ in SwiftLogNoOpLogHandler() }
        return Database(loop: loop, url: settings.database, settings: settings.databasePool, metrics: Metrics(), log: log)
    }
}
