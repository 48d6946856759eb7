import Accounts
import HTTP
import Projects
import Text
import Web

extension DefaultSupportedIDPConfig {
    /// The settings of a provider of the catalogue that a call can write.
    struct Input: ProviderConfigInput {
        typealias Config = DefaultSupportedIDPConfig
        static let idParameter: UTF8Text = "idpId"
        static let invalidID = Failure.invalidProviderID("idpId does not name a provider of the catalogue.")

        var enabled: Bool?
        var clientId: UTF8Text?
        var clientSecret: UTF8Text?

        var change: ProviderChange { ProviderChange(enabled: enabled, clientID: clientId, clientSecret: clientSecret) }
    }
}

/// `POST /v2/projects/{project}/defaultSupportedIdpConfigs?idpId=google.com`: a new provider of the catalogue, in development mode.
struct CreateDefaultSupportedIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.post, "/defaultSupportedIdpConfigs", ofTenants: true, right: .manageUsers)

    func callAsFunction(
        _ input: DefaultSupportedIDPConfig.Input, by administrator: Administrator, _ context: Context
    ) async throws -> DefaultSupportedIDPConfig {
        try input.create(in: context)
    }
}

/// `PATCH /v2/projects/{project}/defaultSupportedIdpConfigs/{id}`: changes what `updateMask` names, or what the body has.
struct UpdateDefaultSupportedIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.patch, "/defaultSupportedIdpConfigs/{id}", ofTenants: true, right: .manageUsers)

    func callAsFunction(
        _ input: DefaultSupportedIDPConfig.Input, by administrator: Administrator, _ context: Context
    ) async throws -> DefaultSupportedIDPConfig {
        try input.update(in: context)
    }
}

/// `DELETE /v2/projects/{project}/defaultSupportedIdpConfigs/{id}`: takes such a provider away.
struct DeleteDefaultSupportedIDPConfig: AdministratorEndpoint {
    static let route = ConfigurationRoutes.route(.delete, "/defaultSupportedIdpConfigs/{id}", ofTenants: true, right: .manageUsers)

    struct Output: Codable {}

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Output {
        try DefaultSupportedIDPConfig.Input.delete(in: context)
        return Output()
    }
}
