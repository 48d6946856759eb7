import ArgumentParser
import Migration
import Runtime

/// `gatehouse import`: brings the accounts of other systems.
///
/// Each source is one file in `Sources/`, with its own options, and one line in the list of subcommands. `ImportRun` does what is common.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring the accounts of another system: with their ids, passwords and identities.",
        subcommands: [Auth0.self, Firebase.self, GenericJSON.self, Keycloak.self, Supabase.self])
}

/// One kind of source.
protocol ImportSourceCommand: AsyncParsableCommand {
    var common: CommonOptions { get }
    var options: ImportOptions { get }

    func origin() async throws -> ImportOrigin
}

extension ImportSourceCommand {
    /// The subcommand's name.
    static var kind: String { configuration.commandName ?? "" }

    func run() async throws { try await ImportRun.run(self) }
}

/// One kind of source that is always a file.
protocol FileImportCommand: ImportSourceCommand {
    var file: String { get }

    /// How much the source's word about an address is worth, unless the operator says it.
    static var usualMails: ImportRules.Mails { get }

    /// The source from its beginning; it is called once for each reading.
    func source(now: Instant) throws -> any AccountSource
}

extension FileImportCommand {
    static var usualMails: ImportRules.Mails { .proven }

    func origin() throws -> ImportOrigin {
        try ImportOrigin(file: file, kind: Self.kind, usualMails: Self.usualMails) { try source(now: $0) }
    }
}
