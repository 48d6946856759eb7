import Config
import Console
import FoundationEssentials
import ProjectSettings
import Projects

/// The configuration as it stands in the files, with the faults of each file by themselves, for those who can do with less than all of it:
/// a command that is about one project, and a reload.
struct ConfigurationReading {
    let server: ServerSettings
    /// Those of the server's file.
    let faults: Faults
    /// Each project's file, in the order of their names.
    let files: [File]

    struct File {
        let path: String
        /// Made of defaults where the file has faults.
        let project: Project
        let tenants: TenantFolder
        let faults: Faults
        /// Whether the file has the id of its project, for certain.
        let isNamed: Bool

        var name: String { String(path.split(separator: "/").last ?? "") }
        /// Whether the project's own file can be used; those of its tenants may have faults.
        var isSound: Bool { faults.isEmpty }
        /// The faults of the project's file and of those of its tenants.
        var allFaults: Faults { Faults([faults] + tenants.all.map(\.faults)) }
    }

    /// - Parameter environment: the process's, which the files may name secrets of.
    /// - Parameter cache: what was read before of the files of tenants.
    init(from path: String, environment: [String: String], reusing cache: TenantCache = TenantCache()) throws {
        let faults = Faults()
        let section = ConfigFile.read(path, environment: environment, faults: faults)
        let server = ServerSettings(section)
        // Without it, the project files cannot be found.
        guard !section.isUnreadable else { throw Configuration.Faulty(faults) }
        var seen = SeenOnce()
        var areReadable = true
        let files = Self.projectFiles(server.projects, section).map { path in
            let section = ConfigFile.read(path, environment: environment, faults: Faults())
            let project = ProjectFile.read(section, development: server.development, publicURL: server.publicURL)
            if section.isUnreadable { areReadable = false } else { seen.check(project.settings, section) }
            Self.check(project, against: server, section)
            let tenants =
                section.faults.isEmpty
                ? TenantFolder(
                    of: project, section,
                    makesTenants: project.settings.dynamicTenants || server.developmentProject == project.settings.id, server: server,
                    environment: environment, cache: cache) : .none
            for reading in tenants.readings { seen.check(reading) }
            return File(
                path: path, project: project, tenants: tenants, faults: section.faults,
                isNamed: !section.isUnreadable && section.has("project"))
        }
        if let wanted = server.developmentProject, areReadable, !files.contains(where: { $0.project.settings.id == wanted }) {
            section.fault("developmentProject", "no project file has the id \(wanted)")
        }
        if areReadable {
            server.console?.settings.noteMissingProjects(among: Set(files.map(\.project.settings.id)), in: section.section("console"))
        }
        (self.server, self.faults, self.files) = (server, faults, files)
    }

    /// The rules between a project's file and the server's.
    private static func check(_ project: Project, against server: ServerSettings, _ section: Section) {
        if project.settings.tokens.unsigned, project.settings.id != server.developmentProject {
            section.section("tokens").fault(
                "algorithm", "none is only for the project that developmentProject names; write RS256 or ES256")
        }
        if server.mail == nil, !server.development, project.settings.signIn.emailLink {
            section.section("signIn").note("emailLink", "is true, but gatehouse.yaml has no mail, so no sign-in link can be sent")
        }
    }

    /// The project files of `folder`. An empty folder is a fault; other things in it are noted.
    private static func projectFiles(_ folder: String, _ section: Section) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            section.fault("projects", "the folder \(folder) cannot be read; it holds one file for each project")
            return []
        }
        let visible = names.filter { !$0.hasPrefix(".") }.sorted()
        let files = visible.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
        let stems = Set(files.map { $0.prefix { $0 != "." } })
        for name in visible where !files.contains(name) && !stems.contains(name[...]) {
            section.faults.note(
                Fault(
                    file: "\(folder)/\(name)", line: 0, column: 0, path: "",
                    message: "is ignored: project files end in .yaml or .yml, and folders in here are not looked through"))
        }
        if files.isEmpty { section.fault("projects", "the folder \(folder) has no project file; add one <project>.yaml for each project") }
        return files.map { "\(folder)/\($0)" }
    }
}

/// Makes sure that each id, number, API key and name of a directory belongs to only one project, and that one alone copies to a Firebase project.
private struct SeenOnce {
    private var owners: [String: String] = [:]
    /// The file that names each site of passkeys first.
    private var sites: [String: String] = [:]

    /// The same for a tenant, which can only have names of a directory.
    mutating func check(_ reading: TenantReading) {
        for claim in reading.tenant.settings.claims {
            if let owner = owners[claim.thing] {
                reading.faults.add(
                    Fault(
                        file: reading.path, line: 0, column: 0, path: (claim.sections + [claim.key]).joined(separator: "."),
                        message: "\(claim.name)is used already, by \(owner)"))
            }
            owners[claim.thing] = reading.path
        }
    }

    mutating func check(_ project: ProjectSettings, _ section: Section) {
        for claim in project.claims {
            if let owner = owners[claim.thing] {
                let place = claim.sections.reduce(section) { $0.section($1) }
                place.fault(
                    claim.key,
                    owner == section.file ? "\(claim.name)is given twice; remove one of them" : "\(claim.name)is used already, by \(owner)")
            }
            owners[claim.thing] = section.file
        }
        if let site = project.passkeys?.rpID {
            if let other = sites[site] {
                section.section("passkeys").note(
                    "rpId",
                    "is that of \(other), too: a browser shows the passkeys of both projects in one list, and each takes its own only")
            }
            sites[site] = sites[site] ?? section.file
        }
    }
}

/// Something that only one project may have.
struct Claim {
    let thing: String
    /// The key in the project's file, or in a section of it.
    let key: String
    var sections: [String] = []
    /// Which one of a list, with a space behind it.
    var name = ""
}

extension ProjectSettings {
    var claims: [Claim] {
        var own =
            tenant == nil
            ? [Claim(thing: "project \(id)", key: "project"), Claim(thing: "number \(number)", key: "number")]
                + apiKeys.map { Claim(thing: "key \($0)", key: "apiKeys") } : []
        if let migration = firebaseMigration, migration.mirror {
            own.append(
                Claim(
                    thing: "mirror \(migration.projectID)", key: "mirror", sections: ["migration", "firebase"],
                    name: "of \(migration.projectID) "))
        }
        guard let provider = openIDProvider else { return own }
        let directory = ["openIDProvider", "tenant"]
        // Directories are in the place of a project's id in URLs, without regard to case.
        return own + (provider.directoryID.map { [Claim(thing: "project \($0.lowercased())", key: "id", sections: directory)] } ?? [])
            + provider.directoryNames.map { Claim(thing: "project \($0.lowercased())", key: "names", sections: directory, name: "\($0) ") }
    }
}
