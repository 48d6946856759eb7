import ArgumentParser

/// `gatehouse serve`: runs the server until SIGTERM or SIGINT. SIGHUP makes it read the project files again.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server. SIGTERM and SIGINT stop it, SIGHUP reloads the project files.")

    @OptionGroup var common: CommonOptions

    @Flag(help: "Start although people have passkeys for another site than passkeys.rpId names. These passkeys sign in no more.")
    var acceptOrphanedPasskeys = false

    func run() async throws {
        try await ServerProcess.run(
            try common.configuration(), path: common.config, environment: common.environment,
            acceptsOrphanedPasskeys: acceptOrphanedPasskeys)
    }
}
