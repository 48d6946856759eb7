import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    /// `gatehouse import json`; not called `JSON`, which is the name of a module here.
    struct GenericJSON: FileImportCommand {
        static let configuration = CommandConfiguration(
            commandName: "json", abstract: "Bring the accounts of a file in a form that any system can write.",
            discussion: """
                The file has a JSON object on each line, or an array of objects: records of gatehouse export json, or users as Auth0's bulk import \
                takes them, with custom_password_hash.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions

        @Argument(.source) var file: String

        @OptionGroup var hashes: HashConfigOption

        func source(now: Instant) throws -> any AccountSource {
            try GenericFile(try InputFile(path: file), hashes: try hashes.parameters())
        }
    }
}
