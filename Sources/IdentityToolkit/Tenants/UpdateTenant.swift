import Accounts
import HTTP
import Projects
import Web

/// `PATCH /v2/projects/{project}/tenants/{id}`: changes what `updateMask` names, or what the body has.
struct UpdateTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/tenants/{id}", right: .manageUsers)

    func callAsFunction(_ whole: TenantInput, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        let project = try context.project
        let mask = try UpdateMask(context.request)
        let input = try TenantInput.reading(try JSONBody.members(of: context.request), mask)
        let row = try await context.changing { former, tenant in
            guard var record = TenantRecord(former.settings) else { throw Failure.internal }
            try input.set(in: &record, mask, over: tenant.settings)
            return try await context.services.accounts.tenants.update(former, to: record.text, by: administrator)
        }
        context.services.tenants.take([row], of: project)
        return TenantResource(try await context.tenant())
    }
}
