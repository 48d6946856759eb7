import Accounts
import ProjectSettings
import Projects
import Providers
import Server
import Text

/// Finds in the configuration what the arguments of commands name.
extension SoundConfiguration {
    /// A project whose file has no fault. Throws `Failed` with the reason for any other.
    func named(_ project: String) throws -> Project {
        guard let found = self.project(project) else { throw Failed(reasonWhyUnknown(project) ?? "") }
        return found
    }

    /// A project or a tenant, for a command that has the database: of a tenant that calls have made, with what they have set. Throws `Failed` with the
    /// reason for one that is not there.
    func realm(_ id: String, in rows: TenantRows) async throws -> Project {
        let found = try named(id)
        guard found.fileName == nil, let name = found.settings.tenant?.id else { return found }
        guard let row = try await rows.find(name, of: found.settings.id), !row.isDeleted, let record = TenantRecord(row.settings),
            let tenant = self.project(found.settings.id)?.tenant(name, record)
        else { throw Failed("the project \(found.settings.id) has no tenant \(name)") }
        return tenant
    }

    /// The entry of a provider in a project's file, with the project. Throws `Failed` when the project, or its provider, does not exist or is
    /// switched off.
    func entry(of provider: String, in project: String) throws -> (project: Project, provider: ProviderSettings) {
        let found = try named(project)
        guard let settings = found.providers[UTF8Text(provider)] else {
            if found.namedProviders.contains(UTF8Text(provider)) {
                throw Failed("provider \(provider) of project \(project) is switched off; its entry says enabled: false")
            }
            let ids = found.providers.values.map(\.id).sorted().joined(separator: ", ")
            throw Failed("project \(project) has no provider \(provider); its providers are \(ids.isEmpty ? "none" : ids)")
        }
        return (found, settings)
    }
}
