import ArgumentParser
import JSON
import ProjectSettings
import Projects
import Server

/// `gatehouse passkeys`: the part of passkeys that other web servers must do.
struct PasskeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys", abstract: "Print what other web servers must serve for passkeys.", subcommands: [Files.self])

    struct Files: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "files",
            abstract: "Print the files that the host of a project's RP ID must serve, each behind its address.")

        @OptionGroup var common: CommonOptions

        @Argument(help: "The project's id.")
        var project: String

        func run() throws {
            let configuration = try common.soundConfiguration()
            guard let passkeys = try configuration.named(project).settings.passkeys else {
                throw Failed("the file of the project \(project) has no passkeys")
            }
            // Projects of one site share its files.
            let sharing = configuration.projects.map(\.settings).filter { $0.passkeys?.rpID == passkeys.rpID }
            let files = PasskeyFile.allCases.compactMap { file in
                file.content(for: sharing).map { "https://\(passkeys.rpID)\(file.path)\n\($0.indentedText())" }
            }
            guard !files.isEmpty else {
                throw Failed(
                    "\(passkeys.rpID) needs no file: the project has no relatedOrigins, no Android app with sha256 and no iOS app with teamId"
                )
            }
            Terminal.write(files.joined(separator: "\n"))
        }
    }
}
