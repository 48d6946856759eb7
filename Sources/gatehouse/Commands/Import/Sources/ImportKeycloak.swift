import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Keycloak: FileImportCommand {
        static let configuration = CommandConfiguration(
            commandName: "keycloak", abstract: "Bring the users of a realm that kc.sh export has written.",
            discussion: """
                The export of the admin console has no password hashes. Administrators of Keycloak can call an address verified by hand, so \
                --mails is told here, unless you say proven.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions

        @Argument(.source) var file: String

        @OptionGroup var providers: SourceProviderOptions

        @Option(help: "A JSON file that says where the attributes, roles and groups of the users go.", completion: .file())
        var attributes: String?

        static var usualMails: ImportRules.Mails { .told }

        func source(now: Instant) throws -> any AccountSource {
            let mapping = try attributes.map(KeycloakAttributes.init(path:)) ?? KeycloakAttributes()
            return try KeycloakSource(path: file, names: providers.names, attributes: mapping)
        }
    }
}
