import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Firebase: ImportSourceCommand {
        static let configuration = CommandConfiguration(
            commandName: "firebase", abstract: "Bring the accounts of a file that firebase auth:export has written.",
            discussion: """
                JSON is better than CSV, which lacks second factors and quotes. An account with a password needs the project's password hash \
                parameters: --hash-config.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions
        @OptionGroup var hashes: HashConfigOption

        func source(now: Instant) throws -> any AccountSource {
            try FirebaseFile(try InputFile(path: options.file), hashes: try hashes.parameters())
        }
    }
}
