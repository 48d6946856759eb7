import ArgumentParser
import Server

/// `gatehouse config`: the form of the configuration files.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print the JSON Schema of a configuration file, for editors.", subcommands: [Schema.self])

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the JSON Schema of gatehouse.yaml (server) or of a project's file (project).")

        /// As every command takes it, though nothing of the file is read here.
        @OptionGroup var common: CommonOptions

        @Argument(help: "server or project.")
        var file: ConfigSchema

        func run() throws { print(file.text) }
    }
}

extension ConfigSchema: ExpressibleByArgument {}
