import Accounts
import ProjectSettings
import Projects
import Server

extension SoundConfiguration {
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
}
