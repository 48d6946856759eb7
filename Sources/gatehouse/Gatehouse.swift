import ArgumentParser
import Crypto
import FoundationEssentials
import Server

/// The executable: commands and wiring, nothing else.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse", abstract: "A self-hosted identity broker that speaks the Firebase Auth protocol.",
        version: Version.text,
        subcommands: [
            ServeCommand.self, DevCommand.self, ReloadCommand.self, MigrateCommand.self, CheckCommand.self, DoctorCommand.self,
            ConfigCommand.self, OpenAPICommand.self, ProjectsCommand.self, UsersCommand.self, KeysCommand.self,
            ServiceAccountsCommand.self, ProviderTokensCommand.self, SessionsCommand.self, MailsCommand.self, AuditCommand.self,
            ExplainLinkCommand.self, CompletionCommand.self,
        ])

    static func main() async {
        _ = HashingMemory.isUsed
        await main(CommonOptions.allowingConfigBehindHelp(ProcessInfo.processInfo.arguments.dropFirst()))
    }
}

/// The options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(help: "The server's configuration file; its other paths are relative to it.", completion: .file())
    var config = CommonOptions.usualConfig
    static let usualConfig = "config/gatehouse.yaml"

    /// Read here and nowhere else.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    var environment: [String: String] { Self.environment }

    /// The server's file and all project files.
    func configuration() throws -> Configuration { try Configuration.load(from: config, environment: environment) }

    /// Only the server's file, for commands that touch no project.
    func serverSettings() throws -> ServerSettings { try Configuration.server(from: config, environment: environment) }

    /// The server's file and those project files that have no fault, for commands about one project.
    func soundConfiguration() throws -> SoundConfiguration { try SoundConfiguration.load(from: config, environment: environment) }

    /// The sentence of a command that found nothing of a project, where the configuration does not have the project. For commands that do
    /// not need the project files.
    func reasonWhyUnknown(_ project: String) -> String? { try? soundConfiguration().reasonWhyUnknown(project) }

    /// The arguments of a command line. The parser's own `help` takes no option, but an operator's shell function writes `--config` behind
    /// every command.
    static func allowingConfigBehindHelp(_ arguments: ArraySlice<String>) -> [String] {
        guard arguments.first == "help", let option = arguments.firstIndex(where: { $0 == "--config" || $0.hasPrefix("--config=") }) else {
            return Array(arguments)
        }
        return Array(arguments[..<option])
    }
}
