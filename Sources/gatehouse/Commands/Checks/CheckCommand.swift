import ArgumentParser
import Postgres
import ProjectSettings
import Projects
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
        let (count, tenants) = (configuration.projects.count, configuration.projects.realms.count - configuration.projects.count)
        // What the others say of it comes below.
        print(
            "The configuration is sound\(live ? " in itself" : ""): \(count) \(count == 1 ? "project" : "projects")\(Self.counted(tenants))."
        )
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

    private static func counted(_ tenants: Int) -> String { tenants == 0 ? "" : ", \(tenants) \(tenants == 1 ? "tenant" : "tenants")" }

    /// Prints what is wrong with the database, each provider's documents and the mail server, and returns the number of problems.
    private func ask(_ configuration: Configuration) async throws -> Int {
        let checkup = try Checkup(configuration, path: common.config)
        let database = checkup.openDatabase()
        let live = await checkup.essentials(database)
        await database.close()
        let told = [live.pending].compactMap(\.self) + live.findings.map(\.told)
        print(told.isEmpty ? "database  ok" : told.map { "database  \($0)" }.joined(separator: "\n"))
        var problems = live.findings.count
        for part in await checkup.providerParts() + checkup.migrationParts() {
            let faults = part.findings.filter { $0.grade == .fault }
            problems += faults.count
            print(
                faults.isEmpty ? "\(part.name)  ok" : faults.map { "\(part.name)  \($0.text)\n  -> \($0.remedy)" }.joined(separator: "\n"))
            for advice in part.findings where advice.grade == .warning { print("note: \(part.name)  \(advice.text)") }
        }
        if configuration.server.sendsBySMTP, let findings = await checkup.mailFindings() {
            problems += findings.count
            print(findings.isEmpty ? "mail  ok" : findings.map { "mail  \($0.text)\n  -> \($0.remedy)" }.joined(separator: "\n"))
        }
        return problems
    }
}

extension Finding {
    /// The texts of these tell the remedy by themselves.
    fileprivate var told: String {
        ["database.schema", "database.issuer", "database.passkeys"].contains(code) ? text : sentence
    }
}
