import ArgumentParser
import Glibc
import Logging
import Runtime
import Server

/// `gatehouse serve`: runs the server until SIGTERM or SIGINT. SIGHUP makes it read the project files again.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server. SIGTERM and SIGINT stop it, SIGHUP reloads the project files.")

    @OptionGroup var common: CommonOptions

    /// The process ends within this time after SIGTERM or SIGINT, even if a loop is busy (SEC-49).
    private static let patience: Duration = .seconds(10)
    /// The part of that time that is kept for writing the last log lines.
    private static let lastWords: Duration = .milliseconds(500)

    func run() async throws {
        let configuration = try common.configuration()
        let level = configuration.server.logLevel
        let output = try Self.output(configuration.server.logPath)
        LoggingSystem.bootstrap { JSONLines(label: $0, level: level, output: output) }
        let log = Logger(label: "gatehouse")
        let watchdog = try Watchdog(after: Self.patience - Self.lastWords) {
            log.critical("the stop took too long, so the process ends without finishing its work")
            output.finish(within: Self.lastWords)
            _exit(EXIT_FAILURE)
        }
        // Before anything starts, since by default these signals end the process.
        let signals = Signals.stream([SIGTERM, SIGINT, SIGHUP]) { signal in
            if signal == SIGHUP { output.reopen() } else { watchdog.begin() }
        }
        defer { output.finish(within: Self.lastWords) }
        let server = try Server(configuration, path: common.config, environment: common.environment, output: output, log: log)
        do {
            try await server.start()
            for note in configuration.notes { log.warning("configuration", metadata: ["note": "\(note)"]) }
        } catch {
            let reason = StartFailure.text(error)
            log.critical("not started", metadata: ["reason": "\(reason)"])
            // The person who starts a server looks at its terminal, or at what the service manager keeps of it.
            if configuration.server.logPath != nil { throw Failed("not started: \(reason)") }
            throw ExitCode.failure
        }
        for await signal in signals {
            guard signal == SIGHUP else { break }
            await server.reload()
        }
        await server.stop()
    }

    private static func output(_ path: String?) throws -> LogOutput {
        do { return try LogOutput(path: path) } catch { throw Failed("log: the file cannot be written: \(error)") }
    }
}
