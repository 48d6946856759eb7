import ArgumentParser
import HTTP
import Postgres
import ProjectSettings
import Runtime
import Server

/// `gatehouse dev`: everything for a test suite and for a developer's app in one command, in place of Firebase's Auth emulator.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run a server for this machine alone, in place of Firebase's Auth emulator. It needs no configuration.",
        discussion: """
            Starts a private PostgreSQL, whose programs must be installed, and a server in development mode, and prints the lines that lead \
            back ends, apps and browsers to it. Ctrl-C stops both. Behind --, a command may stand: it runs with FIREBASE_AUTH_EMULATOR_HOST \
            and GCLOUD_PROJECT set, the server stops when it ends, and its exit status is that of this command:

              gatehouse dev -- npm test
            """)

    @Option(help: "The project's id. (default: the variable GCLOUD_PROJECT or GOOGLE_CLOUD_PROJECT, or else demo-project)")
    var project: String?

    @Option(help: "The port to listen on.")
    var port = 9099

    @Option(
        help: "The folder to keep accounts, master key and log in. Without it, all of them are thrown away at the end.",
        completion: .directory)
    var data: String?

    @Option(help: "The URL of a database to use in place of a private PostgreSQL. Needs --data, for the master key that belongs to it.")
    var database: String?

    @Flag(help: "Sign ID tokens, as in production. Admin SDKs for Node.js refuse such tokens while FIREBASE_AUTH_EMULATOR_HOST is set.")
    var signedTokens = false

    @Argument(parsing: .postTerminator, help: "A command to run while the server runs, behind --.")
    var command: [String] = []

    func validate() throws {
        guard (1...65535).contains(port) else { throw ValidationError("--port is a number from 1 to 65535") }
        if database != nil, data == nil { throw ValidationError("--database needs --data") }
        _ = try projectID(CommonOptions.environment)
    }

    func run() async throws {
        let environment = CommonOptions.environment
        let project = try projectID(environment)
        // Two servers could share the port, and requests would reach one of them by chance.
        do { try Server.requireFree(ListenAddress(host: .loopback, port: port)) } catch { throw Failed(StartFailure.text(error)) }
        guard Server.reserve(port) else {
            throw Failed("another gatehouse dev on this machine has the port \(port): choose another one with --port")
        }
        let folder = try DevelopmentFolder(data, environment: environment)
        var postgres: PrivatePostgres?
        do {
            if database == nil {
                postgres = try await PrivatePostgres.start(
                    in: folder.postgres, run: folder.run, keepsData: folder.keepsData, environment: environment)
            }
            let url = postgres?.url ?? database ?? ""
            try folder.write(DevelopmentFolder.Options(port: port, project: project, signsTokens: signedTokens), database: url)
            try await serve(folder, project, environment)
        } catch {
            await postgres?.stop()
            folder.removeTemporary()
            throw error
        }
        await postgres?.stop()
        folder.removeTemporary()
    }

    private func projectID(_ environment: [String: String]) throws -> String {
        let named = project ?? environment["GCLOUD_PROJECT"] ?? environment["GOOGLE_CLOUD_PROJECT"]
        guard let named, !named.isEmpty else { return "demo-project" }
        guard ProjectSettings.isFree(named) else {
            throw ValidationError("\(named) cannot be a project's id: 4 to 30 lower-case letters, digits and hyphens, the first a letter")
        }
        return named
    }

    private func serve(_ folder: DevelopmentFolder, _ project: String, _ environment: [String: String]) async throws {
        let configuration = try Configuration.load(from: folder.configuration, environment: environment)
        _ = try await CommandSupport.migrate(configuration.server)
        let run = CommandRun(command, environment.merging(variables(project)) { $1 })
        try await ServerProcess.run(configuration, path: folder.configuration, environment: environment) {
            if command.isEmpty { CommandSupport.remark(lines(folder, project)) } else { run.start() }
        }
        if let status = try await run.finish(), status != 0 { throw ExitCode(status) }
    }

    private func variables(_ project: String) -> [String: String] {
        ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:\(port)", "GCLOUD_PROJECT": project, "GOOGLE_CLOUD_PROJECT": project]
    }

    /// The lines to paste.
    private func lines(_ folder: DevelopmentFolder, _ project: String) -> String {
        """

          Gatehouse serves the project \(project). Ctrl-C stops it\(folder.keepsData ? "." : ", and throws its accounts away.")

          back ends   export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(port)
                      export GCLOUD_PROJECT=\(project)

          apps        const auth = getAuth(initializeApp({ apiKey: "any", authDomain: "localhost:\(port)", projectId: "\(project)" }));
                      connectAuthEmulator(auth, "http://localhost:\(port)");

          look at it  http://localhost:\(port)/emulator/
          mails       http://localhost:\(port)/emulator/codes
          log         \(folder.log)
          commands    gatehouse keys list --config \(folder.configuration)

        """
    }
}
