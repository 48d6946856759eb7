import ArgumentParser
import Curl
import ProjectSettings
import Projects
import Providers
import Runtime
import Server

/// `gatehouse check`: reports every fault of the configuration, and with `--live` asks the database, every provider and the mail server
/// too.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration; with --live, ask the database, the providers and the mail server too.")

    @OptionGroup var common: CommonOptions

    @Flag(help: "Ask the database, every provider and the mail server, and explain what is wrong there.")
    var live = false

    func run() async throws {
        let configuration: Configuration
        do {
            configuration = try common.configuration()
        } catch let error as Configuration.Faulty {
            print(error.report)
            throw ExitCode.failure
        }
        let count = configuration.projects.count
        // What the others say of it comes below.
        print("The configuration is sound\(live ? " in itself" : ""): \(count) \(count == 1 ? "project" : "projects").")
        for note in configuration.notes { print("note: \(note)") }
        let problems = live ? try await ask(configuration) : 0
        if let note = OperationsNotes.of(configuration.server) { print(note) }
        for project in configuration.projects {
            let notes =
                RedirectNotes.of(project, development: configuration.server.development)
                + OpenIDNotes.of(project, publicURL: configuration.server.publicURL)
            for note in notes { print("\(project.settings.id)  \(note)") }
        }
        guard problems > 0 else { return }
        print("\(problems) \(problems == 1 ? "problem" : "problems").")
        throw ExitCode.failure
    }

    /// Prints what is wrong with the database, each provider's documents and the mail server, and returns the number of problems.
    private func ask(_ configuration: Configuration) async throws -> Int {
        let loop = try Loop(index: 0)
        let client = try Console.client(dialling: configuration.server.dialPolicy, on: loop)
        let database = await LiveDatabase.diagnose(configuration, loop)
        let told = [database.pending].compactMap(\.self) + database.problems
        print(told.isEmpty ? "database  ok" : told.map { "database  \($0)" }.joined(separator: "\n"))
        var problems = database.problems.count
        let providerCount = configuration.projects.reduce(0) { $0 + $1.providers.count }
        for project in configuration.projects {
            for settings in project.providers.values.sorted(by: { $0.id < $1.id }) {
                let provider = ConfiguredProvider(settings, upstream: client, cache: MetadataCache(), clock: .system)
                let findings = await provider.diagnose(redirectURI: project.handlerURL(of: settings))
                problems += findings.count
                let name = "\(project.settings.id)  \(settings.id)"
                print(findings.isEmpty ? "\(name)  ok" : findings.map { "\(name)  \($0)" }.joined(separator: "\n"))
                // A provider that is alone cannot be mixed up with another.
                if findings.isEmpty, providerCount > 1 { for advice in await provider.advise() { print("note: \(name)  \(advice)") } }
            }
        }
        if case .smtp(let server)? = configuration.server.mail?.way {
            do {
                try await client.greet(server)
                print("mail  ok")
            } catch {
                problems += 1
                print("mail  \(server.host):\(server.port): \(error.reason)")
            }
        }
        return problems
    }
}
