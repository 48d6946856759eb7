import ArgumentParser
import Glibc
import Logging
import Runtime
import Server

/// Runs the server in this process until SIGTERM or SIGINT. SIGHUP makes it read the project files again.
enum ServerProcess {
    /// The process ends within this time after SIGTERM or SIGINT, even if a loop is busy (SEC-49).
    private static let patience: Duration = .seconds(10)
    /// The part of that time that is kept for writing the last log lines.
    private static let lastWords: Duration = .milliseconds(500)

    /// - Parameters:
    ///   - path: where `configuration` was read from.
    ///   - acceptsOrphanedPasskeys: as `Server` has it.
    ///   - begun: called once, when the server answers.
    static func run(
        _ configuration: Configuration, path: String, environment: [String: String], acceptsOrphanedPasskeys: Bool = false,
        begun: () -> Void = {}
    ) async throws {
        // What this process starts must not speak for it, nor take its sockets for its own.
        for variable in Server.ownVariables { unsetenv(variable) }
        let level = configuration.server.logLevel
        let output = try output(configuration.server.logPath)
        LoggingSystem.bootstrap { JSONLines(label: $0, level: level, output: output) }
        let log = Logger(label: "gatehouse")
        let watchdog = try Watchdog(after: patience - lastWords) {
            log.critical("the stop took too long, so the process ends without finishing its work")
            output.finish(within: lastWords)
            _exit(EXIT_FAILURE)
        }
        // Before anything starts, since by default these signals end the process.
        let signals = Signals.stream([SIGTERM, SIGINT, SIGHUP]) { signal in
            if signal == SIGHUP { output.reopen() } else { watchdog.begin() }
        }
        defer { output.finish(within: lastWords) }
        let server: Server
        do {
            server = try Server(
                configuration, path: path, environment: environment, acceptsOrphanedPasskeys: acceptsOrphanedPasskeys, output: output,
                log: log)
            try await server.start()
            for note in configuration.notes { log.warning("configuration", metadata: ["note": "\(note)"]) }
        } catch {
            let reason = StartFailure.text(error)
            log.critical("not started", metadata: ["reason": "\(reason)"])
            // The person who starts a server looks at its terminal, or at what the service manager keeps of it.
            if configuration.server.logPath != nil { throw Failed("not started: \(reason)") }
            throw ExitCode.failure
        }
        begun()
        for await signal in signals {
            guard signal == SIGHUP else { break }
            // It may wait for the database. A stop must not wait for it.
            Task { await server.reload() }
        }
        await server.stop()
    }

    /// Stops the server as a signal from outside does.
    static func stop() { kill(getpid(), SIGTERM) }

    private static func output(_ path: String?) throws -> LogOutput {
        do { return try LogOutput(path: path) } catch { throw Failed("log: the file cannot be written: \(error)") }
    }
}
