import Accounts
import HTTP
import Projects
import Web

/// `GET /v2/projects/{project}/tenants/{id}`: one of them.
struct GetTenant: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/tenants/{id}")

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> TenantResource {
        TenantResource(try await context.tenant())
    }
}
