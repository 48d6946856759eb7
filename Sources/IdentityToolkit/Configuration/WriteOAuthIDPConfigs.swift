import Accounts
import HTTP
import Projects
import Text
import Web

extension OAuthIDPConfig {
    /// The settings of a provider by OpenID Connect that a call can write.
    struct Input: ProviderConfigInput {
        typealias Config = OAuthIDPConfig
        static let idParameter: UTF8Text = "oauthIdpConfigId"
        static let invalidID = Failure.invalidConfigurationID

        var displayName: UTF8Text?
        var enabled: Bool?
        var clientId: UTF8Text?
        var clientSecret: UTF8Text?
        var issuer: UTF8Text?
        var responseType: ResponseType?

        var change: ProviderChange {
            ProviderChange(
                name: displayName, enabled: enabled, clientID: clientId, clientSecret: clientSecret, issuer: issuer,
                responseType: responseType)
        }
    }
}

/// `POST /v2/projects/{project}/oauthIdpConfigs?oauthIdpConfigId=oidc.…`: a new provider by OpenID Connect, in development mode.
struct CreateOAuthIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.post, "/oauthIdpConfigs", ofTenants: true, right: .manageUsers)

    func callAsFunction(
        _ input: OAuthIDPConfig.Input, by administrator: Administrator, _ context: Context
    ) async throws -> OAuthIDPConfig {
        try input.create(in: context)
    }
}

/// `PATCH /v2/projects/{project}/oauthIdpConfigs/{id}`: changes what `updateMask` names, or what the body has.
struct UpdateOAuthIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/oauthIdpConfigs/{id}", ofTenants: true, right: .manageUsers)

    func callAsFunction(
        _ input: OAuthIDPConfig.Input, by administrator: Administrator, _ context: Context
    ) async throws -> OAuthIDPConfig {
        try input.update(in: context)
    }
}

/// `DELETE /v2/projects/{project}/oauthIdpConfigs/{id}`: takes such a provider away.
struct DeleteOAuthIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.delete, "/oauthIdpConfigs/{id}", ofTenants: true, right: .manageUsers)

    struct Output: Codable {}

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Output {
        try OAuthIDPConfig.Input.delete(in: context)
        return Output()
    }
}
