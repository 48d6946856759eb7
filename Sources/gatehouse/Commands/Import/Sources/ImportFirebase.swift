import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Firebase: ImportSourceCommand {
        static let configuration = CommandConfiguration(
            commandName: "firebase",
            abstract: "Bring the accounts of a Firebase project, or of a file that firebase auth:export has written.",
            discussion: """
                --from and --service-account ask Google, which has everything: also OpenID Connect and SAML identities, and the parameters of the \
                password hashes. Of files, JSON is better than CSV, which lacks second factors and quotes; an account with a password needs \
                --hash-config.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions

        @Argument(help: "The file of firebase auth:export, in place of --from.", completion: .file())
        var file: String?

        @OptionGroup var live: FirebaseProjectOptions
        @OptionGroup var hashes: HashConfigOption

        func validate() throws {
            switch (file, live.from) {
            case (.none, .none): throw ValidationError("Name a file, or a Firebase project with --from.")
            case (.some, .some): throw ValidationError("A file and --from are two sources; name one of them.")
            case (.some, .none): try live.requireNone()
            case (.none, .some): if options.acceptCut { throw ValidationError("--accept-cut is about files, and Google has no cut ones.") }
            }
        }

        func origin() async throws -> ImportOrigin {
            guard let file else { return try await live.origin(common, kind: Self.kind, hashes: try hashes.parameters()) }
            return try ImportOrigin(file: file, kind: Self.kind) { _ in
                try FirebaseFile(try InputFile(path: file), hashes: try hashes.parameters())
            }
        }
    }
}
