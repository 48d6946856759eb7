import ArgumentParser
import FoundationEssentials
import Glibc
import Server

/// The executable: commands and wiring, nothing else.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse", abstract: "A self-hosted identity broker that speaks the Firebase Auth protocol.",
        version: Version.text,
        subcommands: [
            ServeCommand.self, DevCommand.self, ReloadCommand.self, MigrateCommand.self, CheckCommand.self, DoctorCommand.self,
            ConfigCommand.self, OpenAPICommand.self, PhoneRegionsCommand.self, ProjectsCommand.self, TenantsCommand.self, UsersCommand.self,
            KeysCommand.self,
            ServiceAccountsCommand.self, PasskeysCommand.self, ProviderTokensCommand.self, SessionsCommand.self, LimitsCommand.self,
            MailsCommand.self,
            EventsCommand.self,
            HooksCommand.self, ConsoleCommand.self,
            AuditCommand.self, SignInsCommand.self, ImportCommand.self, ExportCommand.self,
            ExplainLinkCommand.self, AfterRestoreCommand.self, CompletionCommand.self,
        ])

    static func main() async {
        let arguments = CommonOptions.allowingConfigBehindHelp(ProcessInfo.processInfo.arguments.dropFirst())
        if let refusal = unknownSubcommand(in: arguments) {
            CommandSupport.remark(refusal)
            ProcessEnd.now(ExitCode.validationFailure.rawValue)
        }
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            end(after: error)
        }
        ProcessEnd.now(EXIT_SUCCESS)
    }

    /// Prints the parser's text for an error (help and the version are errors, too), and ends the process with its status.
    private static func end(after error: any Error) -> Never {
        let status = exitCode(for: error)
        let text = fullMessage(for: error)
        if !text.isEmpty { if status.isSuccess { print(text) } else { CommandSupport.remark(text) } }
        ProcessEnd.now(status.rawValue)
    }

    /// The text about a missing or unknown subcommand; `nil` where there is none. The parser itself would complain about the first option
    /// behind it.
    private static func unknownSubcommand(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = Gatehouse.self
        var path = "gatehouse"
        for word in arguments {
            let subcommands = command.configuration.subcommands
            let isConfig = word == "--config" || word.hasPrefix("--config=")
            if subcommands.isEmpty || word == "help" || word.hasPrefix("-") && !isConfig { return nil }
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                command = next
                path += " \(word)"
                continue
            }
            let names = subcommands.compactMap { $0.configuration.commandName }.joined(separator: ", ")
            let reason = isConfig ? "needs a subcommand in front of --config" : "has no subcommand \(CommandSupport.visible(word))"
            return """
                Error: \(path) \(reason); it has \(names)
                Usage: \(path) <subcommand>
                  See '\(path) --help' for more information.
                """
        }
        return nil
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
    func reasonWhyUnknown(_ project: String) -> String? {
        guard let configuration = try? soundConfiguration(), !configuration.mayBeFaulty(project) else { return nil }
        return configuration.reasonWhyUnknown(project)
    }

    /// The arguments of a command line. The parser's own `help` takes no option, but the script of `packaging/` writes `--config` behind
    /// every command.
    static func allowingConfigBehindHelp(_ arguments: ArraySlice<String>) -> [String] {
        guard arguments.first == "help", let option = arguments.firstIndex(where: { $0 == "--config" || $0.hasPrefix("--config=") }) else {
            return Array(arguments)
        }
        return Array(arguments[..<option])
    }
}
