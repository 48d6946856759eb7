import Config
import FoundationEssentials
import ProjectSettings
package import Projects

/// The whole configuration, read and checked at once. If it has any fault, none of it is used.
package struct Configuration {
    package let server: ServerSettings
    package let projects: [Project]
    /// Things that are allowed and still look wrong, as sentences.
    package let notes: [String]

    /// The faults of a configuration, as text for the operator.
    package struct Faulty: Error, CustomStringConvertible {
        /// A line for each fault, and a last one with their number.
        package let report: String
        /// One text for each fault, with its place.
        package let faults: [String]

        init(_ faults: Faults) {
            report = faults.report()
            self.faults = faults.all.map(\.description)
        }

        package var description: String { "the configuration has faults:\n\(report) Nothing was done." }
    }

    /// The server's file and all project files.
    ///
    /// - Parameter environment: the process's, which the files may name secrets of.
    package static func load(from path: String, environment: [String: String]) throws -> Configuration {
        let faults = Faults()
        let section = ConfigFile.read(path, environment: environment, faults: faults)
        let server = ServerSettings(section)
        // Without it, the project files cannot be found.
        guard !section.isUnreadable else { throw Faulty(faults) }
        var seen = SeenOnce(faults: faults)
        var areReadable = true
        let projects = projectFiles(server.projects, section).map { file in
            let section = ConfigFile.read(file, environment: environment, faults: faults)
            let project = ProjectFile.read(section, development: server.development, publicURL: server.publicURL)
            if section.isUnreadable { areReadable = false } else { seen.check(project.settings, section) }
            if project.settings.tokens.unsigned, project.settings.id != server.developmentProject {
                section.section("tokens").fault(
                    "algorithm", "none is only for the project that developmentProject names; write RS256 or ES256")
            }
            if server.mail == nil, !server.development, project.settings.signIn.emailLink {
                section.section("signIn").note("emailLink", "is true, but gatehouse.yaml has no mail, so no sign-in link can be sent")
            }
            return project
        }
        if let wanted = server.developmentProject, areReadable, !projects.contains(where: { $0.settings.id == wanted }) {
            section.fault("developmentProject", "no project file has the id \(wanted)")
        }
        guard faults.isEmpty else { throw Faulty(faults) }
        return Configuration(server: server, projects: projects, notes: faults.notes.map(\.description))
    }

    /// The project files of `folder`. An empty folder is a fault; other things in it are noted.
    private static func projectFiles(_ folder: String, _ section: Section) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            section.fault("projects", "the folder \(folder) cannot be read; it holds one file for each project")
            return []
        }
        let visible = names.filter { !$0.hasPrefix(".") }.sorted()
        let files = visible.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
        for name in visible where !files.contains(name) {
            section.faults.note(
                Fault(
                    file: "\(folder)/\(name)", line: 0, column: 0, path: "",
                    message: "is ignored: project files end in .yaml or .yml, and folders in here are not looked through"))
        }
        if files.isEmpty { section.fault("projects", "the folder \(folder) has no project file; add one <project>.yaml for each project") }
        return files.map { "\(folder)/\($0)" }
    }

    /// The text for a command that found nothing of a project, when the project files do not contain this id; `nil` when they do.
    package func reasonWhyUnknown(_ project: String) -> String? {
        let ids = projects.map(\.settings.id).sorted()
        guard !ids.contains(project) else { return nil }
        return "the configuration does not have a project \(project); its projects are \(ids.joined(separator: ", "))"
    }

    /// Only the server's file, for commands that touch no project.
    package static func server(from path: String, environment: [String: String]) throws -> ServerSettings {
        let faults = Faults()
        let server = ServerSettings(ConfigFile.read(path, environment: environment, faults: faults))
        guard faults.isEmpty else { throw Faulty(faults) }
        return server
    }
}

/// Makes sure that each id, number, API key and name of a tenant belongs to only one project.
private struct SeenOnce {
    let faults: Faults
    private var owners: [String: String] = [:]

    init(faults: Faults) { self.faults = faults }

    mutating func check(_ project: ProjectSettings, _ section: Section) {
        claim("project \(project.id)", "project", section)
        claim("number \(project.number)", "number", section)
        for key in project.apiKeys { claim("key \(key)", "apiKeys", section) }
        guard let provider = project.openIDProvider else { return }
        let tenant = section.section("openIDProvider").section("tenant")
        // Tenants are in the place of a project's id in URLs, without regard to case.
        if let id = provider.tenantID { claim("project \(id.lowercased())", "id", tenant) }
        for name in provider.tenantNames { claim("project \(name.lowercased())", "names", tenant, called: "\(name) ") }
    }

    /// - Parameter name: which one of a list, with a space behind it.
    private mutating func claim(_ thing: String, _ key: String, _ section: Section, called name: String = "") {
        if let owner = owners[thing] {
            section.fault(
                key, owner == section.file ? "\(name)is given twice; remove one of them" : "\(name)is used already, by \(owner)")
        }
        owners[thing] = section.file
    }
}
