import Accounts
import HTTP
import Projects
import Web

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
