import Accounts
import HTTP
import ProjectSettings
import Projects
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
