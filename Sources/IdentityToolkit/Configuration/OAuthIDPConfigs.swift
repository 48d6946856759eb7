import Accounts
import HTTP
import Projects
import Providers
import Text
import Web

/// A provider by OpenID Connect, whose id is `oidc.…`.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs>
struct OAuthIDPConfig: ProviderConfig {
    var name: String
    var displayName: String
    var enabled: Bool
    var clientId: String
    var issuer: String
    var responseType: ResponseType

    struct ResponseType: Codable { var idToken: Bool?, code: Bool? }

    init(_ provider: ProviderEntry, of project: Project) {
        name = "\(project.resourceName)/oauthIdpConfigs/\(provider.id)"
        displayName = provider.name
        enabled = provider.enabled
        clientId = provider.clientID
        issuer = provider.issuer
        responseType = provider.usesCode ? ResponseType(code: true) : ResponseType(idToken: true)
    }

    static func shows(_ provider: ProviderEntry) -> Bool { provider.isOfAnyIssuer }
}

/// `GET /v2/projects/{project}/oauthIdpConfigs`: the providers by OpenID Connect, in pages.
struct ListOAuthIDPConfigs: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/oauthIdpConfigs", ofTenants: true)

    struct Output: Codable {
        var oauthIdpConfigs: [OAuthIDPConfig]
        var nextPageToken: String?
    }

    func callAsFunction(_ input: PageRequest, by administrator: Administrator, _ context: Context) async throws -> Output {
        let page = try OAuthIDPConfig.page(input, in: context)
        return Output(oauthIdpConfigs: page.entries, nextPageToken: page.next)
    }
}

/// `GET /v2/projects/{project}/oauthIdpConfigs/{id}`: one of them.
struct GetOAuthIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/oauthIdpConfigs/{id}", ofTenants: true)

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> OAuthIDPConfig {
        try .named(in: context)
    }
}
