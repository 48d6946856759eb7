import Accounts
import HTTP
import Text
import Web

/// `GET /v2/projects/{project}/inboundSamlConfigs`: no project has providers by SAML, so the list is empty.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.inboundSamlConfigs>
struct ListInboundSAMLConfigs: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/inboundSamlConfigs", ofTenants: true)

    struct Output: Codable {
        var inboundSamlConfigs: [String] = []
    }

    func callAsFunction(_ input: PageRequest, by administrator: Administrator, _ context: Context) async throws -> Output { Output() }
}

/// `GET /v2/projects/{project}/inboundSamlConfigs/{id}`: there is none.
struct GetInboundSAMLConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/inboundSamlConfigs/{id}", ofTenants: true)

    struct Input: Decodable {}
    struct Output: Codable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        throw Failure.configurationNotFound
    }
}
