import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Auth0: FileImportCommand {
        static let configuration = CommandConfiguration(
            commandName: "auth0", abstract: "Bring the users that a job of Auth0 has exported, with their password hashes.",
            discussion: "Both files have a JSON object on each line. Auth0's support exports the hashes on request.")

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions

        @Argument(.source) var file: String

        @OptionGroup var providers: SourceProviderOptions

        @Option(help: "The file of the password hashes; without it, people must set new passwords.", completion: .file())
        var passwords: String?

        @Option(
            help: """
                Which id back ends have stored, and accounts get: full (auth0|5dea9f9c82dd7c0e76e4ec93), or tail (5dea9f9c82dd7c0e76e4ec93).
                """)
        var uid: Auth0Source.UserID

        func source(now: Instant) throws -> any AccountSource {
            try Auth0Source(path: file, passwords: passwords, userID: uid, names: providers.names)
        }
    }
}

extension Auth0Source.UserID: ExpressibleByArgument {}
