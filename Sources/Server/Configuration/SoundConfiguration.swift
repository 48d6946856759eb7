import Config
import ProjectSettings
package import Projects
import Text

/// The server's settings and those projects whose files have no fault: for commands that are about one project. A fault in the file of
/// another project stops none of them.
package struct SoundConfiguration {
    package let server: ServerSettings
    package let projects: [Project]
    private let faulty: [ConfigurationReading.File]
    private let faultyTenants: [String]

    /// Throws `Configuration.Faulty` when the server's own file has a fault.
    package static func load(from path: String, environment: [String: String]) throws -> SoundConfiguration {
        let reading = try ConfigurationReading(from: path, environment: environment)
        guard reading.faults.isEmpty else { throw Configuration.Faulty(reading.faults) }
        return SoundConfiguration(
            server: reading.server, projects: reading.files.filter(\.isSound).map { $0.project.having($0.tenants.tenants()) },
            faulty: reading.files.filter { !$0.isSound },
            faultyTenants: reading.files.flatMap { $0.tenants.all.filter { !$0.isSound }.map(\.path) })
    }

    /// A project by its id, or a tenant as `PROJECT/TENANT`. Where calls make tenants, one that no file has may be there.
    package func project(_ id: String) -> Project? {
        guard let realm = ProjectSettings.realm(of: UTF8Text(id)),
            let project = projects.first(where: { UTF8Text($0.settings.id) == UTF8Text(realm.project) })
        else { return nil }
        guard let tenant = realm.tenant else { return project }
        if let known = project.tenants?.tenant(UTF8Text(tenant)) { return known }
        let hasFault = faultyTenants.contains { $0.contains("/tenants/\(tenant).y") }
        return hasFault ? nil : project.tenant(tenant, TenantRecord())
    }

    /// The files of projects and tenants that have a fault.
    package var faultyFiles: [String] { faulty.map(\.path) + faultyTenants }

    /// Whether a file with faults may be that of the project.
    package func mayBeFaulty(_ id: String) -> Bool { faulty.contains { !$0.isNamed || $0.project.settings.id == id } }

    /// The sentence about a project that is not among these: it does not exist, or its file has faults. `nil` for one that is.
    package func reasonWhyUnknown(_ id: String) -> String? {
        guard project(id) == nil else { return nil }
        if let realm = ProjectSettings.realm(of: UTF8Text(id)), let tenant = realm.tenant, project(realm.project) != nil {
            return "the project \(realm.project) has no tenant \(tenant), or its file has faults: gatehouse check names them"
        }
        if let file = faulty.first(where: { $0.isNamed && $0.project.settings.id == id }) {
            return "the file of the project \(id) has faults:\n\(file.faults.report())"
        }
        let known = Set(projects.map(\.settings.id) + faulty.filter(\.isNamed).map(\.project.settings.id))
        let unread = faulty.filter { !$0.isNamed }.map(\.path)
        return "the configuration does not have a project \(id); its projects are \(known.sorted().joined(separator: ", "))"
            + (unread.isEmpty ? "" : "; \(unread.joined(separator: ", ")) cannot be read: gatehouse check says why")
    }
}
