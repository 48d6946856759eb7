import Accounts
import HTTP
import Projects
import Providers
import Text
import Web

/// A provider of the catalogue, such as Google, that the project has.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.defaultSupportedIdpConfigs>
struct DefaultSupportedIDPConfig: ProviderConfig {
    var name: String
    var enabled: Bool
    var clientId: String

    init(_ provider: ProviderEntry, of project: Project) {
        name = "\(project.resourceName)/defaultSupportedIdpConfigs/\(provider.id)"
        enabled = provider.enabled
        clientId = provider.clientID
    }

    static func shows(_ provider: ProviderEntry) -> Bool { !provider.isOfAnyIssuer }
}

/// `GET /v2/projects/{project}/defaultSupportedIdpConfigs`: the providers of the catalogue that the project has, in pages.
struct ListDefaultSupportedIDPConfigs: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/defaultSupportedIdpConfigs", ofTenants: true)

    struct Output: Codable {
        var defaultSupportedIdpConfigs: [DefaultSupportedIDPConfig]
        var nextPageToken: String?
    }

    func callAsFunction(_ input: PageRequest, by administrator: Administrator, _ context: Context) async throws -> Output {
        let page = try DefaultSupportedIDPConfig.page(input, in: context)
        return Output(defaultSupportedIdpConfigs: page.entries, nextPageToken: page.next)
    }
}

/// `GET /v2/projects/{project}/defaultSupportedIdpConfigs/{id}`: one of them.
struct GetDefaultSupportedIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/defaultSupportedIdpConfigs/{id}", ofTenants: true)

    struct Input: Decodable {}

    func callAsFunction(
        _ input: Input, by administrator: Administrator, _ context: Context
    ) async throws -> DefaultSupportedIDPConfig {
        try .named(in: context)
    }
}
