import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `GET /v2/projects/{project}/tenants`: the tenants of the project, in pages.
struct ListTenants: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/tenants")

    struct Output: Codable {
        var tenants: [TenantResource]
        var nextPageToken: String?
    }

    func callAsFunction(_ input: PageRequest, by administrator: Administrator, _ context: Context) async throws -> Output {
        let tenants = try context.tenants.all.map { (id: $0.settings.tenant?.id ?? "", entry: $0) }
        let page = try input.page(of: tenants, usual: 20, most: 1000)
        return Output(tenants: page.entries.map(TenantResource.init), nextPageToken: page.next)
    }
}

/// `GET /v2/projects/{project}/tenants/{id}`: one of them.
struct GetTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/tenants/{id}")

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        TenantResource(try await context.tenant())
    }
}

/// `POST /v2/projects/{project}/tenants`: makes a tenant, where the project's file has `dynamicTenants: true`.
struct CreateTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.post, "/tenants", right: .manageUsers)

    func callAsFunction(_ input: TenantInput, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        let project = try context.project
        let members = try JSONBody.members(of: context.request)
        guard let template = project.tenants?.template else { throw Failure.tenantsAreFiles(of: project, members) }
        var record = TenantRecord()
        try input.set(in: &record, mask: [], members: members, over: template.settings)
        let id = TenantInput.newID(named: record.displayName)
        let row = try await context.services.accounts.tenants.insert(id, record.text, by: administrator)
        context.services.tenants.take([row], of: project)
        return TenantResource(try await context.tenant(id: UTF8Text(id)))
    }
}

/// `PATCH /v2/projects/{project}/tenants/{id}`: changes what `updateMask` names, or what the body has.
struct UpdateTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/tenants/{id}", right: .manageUsers)

    func callAsFunction(_ input: TenantInput, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        let project = try context.project
        let mask = try UpdateMask.names(context.request)
        let members = try JSONBody.members(of: context.request)
        let row = try await context.changing { former, tenant in
            guard var record = TenantRecord(former.settings) else { throw Failure.internal }
            try input.set(in: &record, mask: mask, members: members, over: tenant.settings)
            return try await context.services.accounts.tenants.update(former, to: record.text, by: administrator)
        }
        context.services.tenants.take([row], of: project)
        return TenantResource(try await context.tenant())
    }
}

/// `DELETE /v2/projects/{project}/tenants/{id}`: takes a tenant away, and deletes everything of it a while later.
struct DeleteTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.delete, "/tenants/{id}", right: .manageUsers)

    struct Input: Decodable {}
    struct Output: Codable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        let row = try await context.changing { former, _ in
            try await context.services.accounts.tenants.delete(former, by: administrator)
        }
        context.services.tenants.take([row], of: try context.project)
        return Output()
    }
}

extension Context {
    /// Throws `UNSUPPORTED_TENANT_OPERATION` for a project that cannot have tenants.
    fileprivate var tenants: Tenants {
        get throws {
            guard let tenants = try project.tenants else { throw Failure.unsupportedTenantOperation }
            return tenants
        }
    }

    /// The tenant that the path names.
    fileprivate func tenant(id: UTF8Text? = nil) async throws -> Project {
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
    fileprivate func changing(_ change: (StoredTenant, Project) async throws -> StoredTenant) async throws -> StoredTenant {
        let project = try self.project
        for _ in 0..<Self.mostChanges {
            let tenant = try await tenant()
            // A file wins over a row of its id, which then counts for nothing.
            guard tenant.fileName == nil, let id = tenant.settings.tenant?.id, let row = services.tenants.stored(UTF8Text(id), of: project)
            else {
                let lines = request.method == .delete ? "" : ProjectFileLines(ofTenant: .object(try JSONBody.members(of: request))).text
                throw Failure.configuredByFile(tenant.fileName, lines: lines)
            }
            do { return try await change(row, tenant) } catch AccountError.conflict {
                try await services.tenants.refresh(project, by: services.accounts.tenants)
            }
        }
        throw Failure.unavailable
    }
}

extension Failure {
    /// - Parameters:
    ///   - project: has tenants of files alone.
    ///   - members: what the call would have set.
    fileprivate static func tenantsAreFiles(of project: Project, _ members: JSON.Object) -> Failure {
        let lines = ProjectFileLines(ofTenant: .object(members)).text
        let file = project.fileName ?? "its file"
        let folder = file.split(separator: ".").first.map(String.init) ?? "PROJECT"
        return .operationNotAllowed(
            "The tenants of this project are files: write \(folder)/tenants/ID.yaml with displayName and signIn beside \(file), and run gatehouse "
                + "reload; or set dynamicTenants: true in \(file)." + (lines.isEmpty ? "" : " The lines for it: \(lines)"))
    }
}
