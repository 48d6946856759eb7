import Accounts
import HTTP
import Text
import Web

/// The calls about tenants, and those about the accounts and providers of a tenant. All are refused: projects do not have tenants.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants>
protocol TenantCall: RawAdministratorEndpoint where Input == NoInput {}

extension TenantCall {
    /// None of them succeeds.
    static var answers: [CallContent.Answer] { [] }

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Response {
        throw Failure.unsupportedTenantOperation
    }

    fileprivate static func tenants(_ method: HTTP.Method, ofAccounts accounts: [String]) -> Route {
        let tenant = ["/{tenant}", "/{tenant}/{collection}", "/{tenant}/{collection}/{id}"]
        return ConfigurationRoutes.route(
            method, "/tenants", others: tenant.map { "/tenants\($0)" }, elsewhere: accounts.map { "/v1/projects/{project}/tenants\($0)" })
    }
}

struct GetTenant: TenantCall, RawAdministratorEndpoint {
    static let route = tenants(.get, ofAccounts: ["/{tenant}/{call}"])
}

struct PostTenant: TenantCall, RawAdministratorEndpoint {
    static let route = tenants(.post, ofAccounts: ["/{tenant}", "/{tenant}/{call}"])
}

struct PatchTenant: TenantCall, RawAdministratorEndpoint {
    static let route = tenants(.patch, ofAccounts: [])
}

struct DeleteTenant: TenantCall, RawAdministratorEndpoint {
    static let route = tenants(.delete, ofAccounts: [])
}
