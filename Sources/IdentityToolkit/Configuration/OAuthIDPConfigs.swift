import Accounts
import HTTP
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// A provider by OpenID Connect that the project's file names `oidc.…`. The client's secret is never shown.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs>
struct OAuthIDPConfig: Codable, Sendable {
    var name: String
    var displayName: String
    var enabled: Bool
    var clientId: String
    var issuer: String
    var responseType: ResponseType

    struct ResponseType: Codable { var idToken: Bool?, code: Bool? }

    init(_ provider: ProviderSettings, of project: Project) {
        name = "projects/\(project.settings.id)/oauthIdpConfigs/\(provider.id)"
        displayName = provider.name
        enabled = provider.enabled
        clientId = provider.clientID
        issuer = provider.storedIssuer
        responseType = provider.usesCode ? ResponseType(code: true) : ResponseType(idToken: true)
    }

    /// Those of the project.
    static func all(of project: Project) -> [ProviderSettings] { project.configuredProviders.filter(\.isOfAnyIssuer) }
}

/// `GET /v2/projects/{project}/oauthIdpConfigs`: the providers by OpenID Connect, in pages.
struct ListOAuthIDPConfigs: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/oauthIdpConfigs")

    struct Output: Codable {
        var oauthIdpConfigs: [OAuthIDPConfig]
        var nextPageToken: String?
    }

    func callAsFunction(_ input: PageRequest, by administrator: Administrator, _ context: Context) async throws -> Output {
        let project = try context.project
        let page = try input.page(of: OAuthIDPConfig.all(of: project).map { ($0.id, OAuthIDPConfig($0, of: project)) })
        return Output(oauthIdpConfigs: page.entries, nextPageToken: page.next)
    }
}

/// `GET /v2/projects/{project}/oauthIdpConfigs/{id}`: one of them.
struct GetOAuthIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.get, "/oauthIdpConfigs/{id}")

    struct Input: Decodable {}

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> OAuthIDPConfig {
        let project = try context.project
        let id = context.parameters["id"]
        guard let provider = OAuthIDPConfig.all(of: project).first(where: { id == UTF8Text($0.id) }) else {
            throw Failure.configurationNotFound
        }
        return OAuthIDPConfig(provider, of: project)
    }
}
