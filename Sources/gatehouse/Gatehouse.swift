import ArgumentParser

/// The executable: commands and wiring, nothing else.
@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse", abstract: "A self-hosted identity broker that speaks the Firebase Auth protocol.",
        version: Version.text,
        subcommands: [
            ServeCommand.self, ReloadCommand.self, MigrateCommand.self, CheckCommand.self, KeysCommand.self, ServiceAccountsCommand.self,
            SessionsCommand.self, MailsCommand.self,
        ])
}

enum Version {
    static let text = "0.1.0"
}

/// The options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(help: "The server's configuration file; its other paths are relative to it.")
    var config = "config/gatehouse.yaml"
}
