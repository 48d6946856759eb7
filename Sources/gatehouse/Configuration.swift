import Accounts
import Config
import FoundationEssentials
import Providers
import Web

/// Everything that is configured, read and checked as a whole: with any fault at all, nothing is used.
struct Configuration {
    let server: ServerSettings
    let projects: [Project]
    /// What is allowed and still looks wrong, for people.
    let notes: [String]

    /// What is wrong, for people; nothing was started.
    struct Faulty: Error, CustomStringConvertible {
        let description: String
        init(_ faults: Faults) { description = faults.report("Nothing was started.") }
    }

    /// The server's file and all project files.
    static func load(from path: String) throws -> Configuration {
        let faults = Faults()
        let environment = ProcessInfo.processInfo.environment
        let section = ConfigFile.read(path, environment: environment, faults: faults)
        let server = ServerSettings(section)
        // Without it the project files cannot be found.
        guard !section.isUnreadable else { throw Faulty(faults) }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: server.projects)) ?? []
        let files = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { server.projects + "/" + $0 }
        if files.isEmpty {
            faults.add(
                Fault(file: server.projects, line: 0, column: 0, path: "", message: "no project file; add one <project>.yaml a project"))
        }
        var seen = SeenOnce(faults: faults)
        let projects = files.map { file in
            let section = ConfigFile.read(file, environment: environment, faults: faults)
            let project = ProjectFile.read(section, development: server.development, publicURL: server.publicURL)
            seen.check(project.settings, section)
            return project
        }
        if let wanted = server.developmentProject, !projects.contains(where: { $0.settings.id == wanted }) {
            section.fault("developmentProject", "\(wanted) is the id of no project file")
        }
        guard faults.isEmpty else { throw Faulty(faults) }
        return Configuration(server: server, projects: projects, notes: faults.notes.map(\.description))
    }

    /// The server's file alone, for commands that touch no project.
    static func server(from path: String) throws -> ServerSettings {
        let faults = Faults()
        let server = ServerSettings(ConfigFile.read(path, environment: ProcessInfo.processInfo.environment, faults: faults))
        guard faults.isEmpty else { throw Faulty(faults) }
        return server
    }
}

/// Ids, numbers and API keys stand for one project only.
private struct SeenOnce {
    let faults: Faults
    private var owners: [String: String] = [:]

    init(faults: Faults) { self.faults = faults }

    mutating func check(_ project: ProjectSettings, _ section: Section) {
        claim("project \(project.id)", "project", section)
        claim("number \(project.number)", "number", section)
        for key in project.apiKeys { claim("key \(key)", "apiKeys", section) }
    }

    private mutating func claim(_ thing: String, _ key: String, _ section: Section) {
        if let owner = owners[thing] { section.fault(key, "is used already, by \(owner)") }
        owners[thing] = section.file
    }
}
