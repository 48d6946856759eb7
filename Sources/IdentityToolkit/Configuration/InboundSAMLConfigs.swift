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

/// `POST` of a provider by SAML: refused.
struct CreateInboundSAMLConfig: SAMLWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.post, "/inboundSamlConfigs", ofTenants: true, right: .manageUsers)
}

/// `PATCH` of one: refused.
struct UpdateInboundSAMLConfig: SAMLWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/inboundSamlConfigs/{id}", ofTenants: true, right: .manageUsers)
}

/// `DELETE` of one: refused.
struct DeleteInboundSAMLConfig: SAMLWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.delete, "/inboundSamlConfigs/{id}", ofTenants: true, right: .manageUsers)
}
