import ArgumentParser
import JSON
import ProjectSettings
import Projects
import Providers
import Server
import Text

/// `gatehouse projects`: what the configuration says of its projects.
struct ProjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects", abstract: "List the projects of the configuration.", subcommands: [List.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print every project: id, number, issuer of its tokens, and the ways to sign in.")

        @OptionGroup var common: CommonOptions

        @Flag(help: "Print one JSON object for each project.")
        var json = false

        func run() throws {
            let configuration = try common.soundConfiguration()
            let url = configuration.server.publicURL
            let projects = configuration.projects.sorted { $0.settings.id < $1.settings.id }
            if json {
                Terminal.write(projects.map { $0.json(publicURL: url) + "\n" }.joined())
            } else {
                var table = Table("PROJECT", "NUMBER", "ISSUER", "SIGN-IN")
                table.print(
                    projects.map { project in
                        let settings = project.settings
                        let methods = project.waysToSignIn.joined(separator: ", ")
                        return [settings.id, "\(settings.number)", settings.issuer(publicURL: url), methods]
                    })
            }
            guard !configuration.faultyFiles.isEmpty else { return }
            throw Failed("\(configuration.faultyFiles.joined(separator: ", ")) not listed, for its faults: gatehouse check names them")
        }
    }
}

extension ProjectSettings.SignInMethods {
    /// The ways to sign in that need no provider and are switched on.
    fileprivate var names: [String] {
        [(password, "password"), (emailLink, "emailLink"), (anonymous, "anonymous")].filter(\.0).map(\.1)
    }
}

extension Project {
    /// Those that are switched on.
    var waysToSignIn: [String] { settings.signIn.names + orderedProviders.map(\.id) }

    fileprivate func json(publicURL: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("project", settings.id)
            writer.field("number", "\(settings.number)")
            writer.field("issuer", settings.issuer(publicURL: publicURL))
            for (name, texts) in [
                ("signIn", settings.signIn.names), ("providers", orderedProviders.map(\.id)),
                ("authorizedDomains", settings.authorizedDomains),
            ] { writer.array(name) { writer in for text in texts { writer.value(text) } } }
            writer.field("openIDProvider", settings.openIDProvider != nil)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
