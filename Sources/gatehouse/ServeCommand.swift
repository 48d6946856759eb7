import Accounts
import ArgumentParser
import Glibc
import Logging
import Runtime

/// `gatehouse serve`: runs the server until SIGTERM or SIGINT; SIGHUP reads the projects anew.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server. SIGTERM and SIGINT stop it, SIGHUP reloads the project files.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let configuration = try Configuration.load(from: common.config)
        let level = configuration.server.logLevel
        LoggingSystem.bootstrap { JSONLines(label: $0, level: level) }
        let log = Logger(label: "gatehouse")
        for note in configuration.notes { log.warning("configuration", metadata: ["note": "\(note)"]) }
        // Taken over before anything starts: the default of these signals is the end of the process.
        let signals = Signals.stream([SIGTERM, SIGINT, SIGHUP])
        let server = try Server(configuration, path: common.config, log: log)
        do {
            try await server.start()
        } catch {
            log.critical("not started", metadata: ["reason": "\(StartFailure.text(error))"])
            throw ExitCode.failure
        }
        for await signal in signals {
            guard signal == SIGHUP else { break }
            await server.reload()
        }
        await server.stop()
    }
}
