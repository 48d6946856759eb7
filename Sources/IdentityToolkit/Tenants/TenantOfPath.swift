import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// The tenants that calls of administrators read and change.
extension Context {
    /// Throws `UNSUPPORTED_TENANT_OPERATION` for a project that cannot have tenants.
    var tenants: Tenants {
        get throws {
            guard let tenants = try project.tenants else { throw Failure.unsupportedTenantOperation }
            return tenants
        }
    }

    /// The tenant of this id, or the one that the path names.
    func tenant(id: UTF8Text? = nil) async throws -> Project {
        _ = try tenants
        let id = id ?? parameters["id"] ?? ""
        guard let tenant = try await services.tenants.tenant(id, of: project, by: services.accounts.tenants) else {
            throw Failure.tenantNotFound
        }
        return tenant
    }

    /// How often a change begins again.
    private static var mostChanges: Int { 20 }

    /// Changes the row of the tenant that the path names. Where another call has changed it meanwhile, it begins again with what that left.
    func changing(_ change: (StoredTenant, Project) async throws -> StoredTenant) async throws -> StoredTenant {
        let project = try self.project
        for _ in 0..<Self.mostChanges {
            let tenant = try await tenant()
            // A file wins over a row of its id, which then counts for nothing.
            guard tenant.fileName == nil, let id = tenant.settings.tenant?.id, let row = services.tenants.stored(UTF8Text(id), of: project)
            else {
                let lines = request.method == .delete ? "" : ProjectFileLines(ofTenant: .object(try JSONBody.members(of: request))).text
                throw Failure.configuredByFile(tenant.fileName, lines: lines, deleting: request.method == .delete)
            }
            do { return try await change(row, tenant) } catch AccountError.conflict {
                try await services.tenants.refresh(project, by: services.accounts.tenants)
            }
        }
        throw Failure.unavailable
    }
}
