import Accounts
import HTTP
import Projects
import Text
import Web

/// The calls that would change a project's providers. Each is refused with the name of the file to change instead, since the file alone
/// says how the project is configured.
protocol ConfigurationWrite: RawAdministratorEndpoint where Input == NoInput {}

/// The input of such a call, which does not matter.
struct NoInput: Decodable, Sendable {}

extension ConfigurationWrite {
    /// None of them succeeds.
    static var answers: [CallContent.Answer] { [] }

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Response {
        throw Failure.configuredByFile(try context.project.fileName)
    }
}

/// `POST` of a new provider.
struct CreateProviderConfig: ConfigurationWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(
        .post, "/oauthIdpConfigs", others: ["/defaultSupportedIdpConfigs", "/inboundSamlConfigs"], ofTenants: true)
}

/// `PATCH` of a provider.
struct UpdateProviderConfig: ConfigurationWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(
        .patch, "/oauthIdpConfigs/{id}", others: ["/defaultSupportedIdpConfigs/{id}", "/inboundSamlConfigs/{id}"], ofTenants: true)
}

/// `DELETE` of a provider.
struct DeleteProviderConfig: ConfigurationWrite, RawAdministratorEndpoint {
    static let route = ConfigurationRoutes.route(
        .delete, "/oauthIdpConfigs/{id}", others: ["/defaultSupportedIdpConfigs/{id}", "/inboundSamlConfigs/{id}"], ofTenants: true)
}
