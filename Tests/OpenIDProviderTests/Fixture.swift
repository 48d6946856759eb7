import ProjectSettings
import Projects
import Text

/// A project that is a provider, with a client of each kind and a user flow of each style.
enum Fixture {
    static let publicURL = "https://auth.example.com"
    static let directory = "775527ff-9a37-4307-8b3d-cc311f58d925"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static var settings: ProjectSettings {
        var settings = ProjectSettings(id: "acme", number: 7, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        settings.openIDProvider = provider
        return settings
    }

    static var provider: ProjectSettings.OpenIDProvider {
        var provider = ProjectSettings.OpenIDProvider()
        provider.directoryID = directory
        provider.directoryNames = ["contoso.onmicrosoft.com"]
        provider.clients = [server, app, page]
        provider.userFlows = [
            flow("b2c_1_susi", .signUpOrSignIn), flow("b2c_1_tfp", .signIn, .tfp), flow("b2c_1_default", .signIn, .default),
            flow("b2c_1_signup", .signUp), flow("b2c_1_reset", .passwordReset), flow("b2c_1_edit", .profileEdit),
        ]
        return provider
    }

    static func flow(_ name: String, _ kind: UserFlow.Kind, _ issuer: UserFlow.IssuerStyle = .policy) -> UserFlow {
        var flow = UserFlow(name: name, kind: kind)
        flow.issuer = issuer
        return flow
    }

    /// A server that need not use PKCE.
    static var server: OAuthClient {
        var client = OAuthClient(id: "server", kind: .confidential, redirectURIs: ["https://rp.example.com/cb?a=1"])
        client.requiresPKCE = false
        client.apiScopes = ["https://contoso.onmicrosoft.com/api/read"]
        client.postLogoutRedirectURIs = ["https://rp.example.com/bye", "https://rp.example.com/bye?b=2"]
        return client
    }

    static var app: OAuthClient {
        OAuthClient(id: "app", kind: .native, redirectURIs: ["com.example.app://oauth/cb", "http://127.0.0.1/cb"])
    }

    static var page: OAuthClient { OAuthClient(id: "page", kind: .browser, redirectURIs: ["https://spa.example.com/cb"]) }

    static var projects: Projects {
        var plain = ProjectSettings(id: "plain", number: 8, apiKeys: ["other"], authorizedDomains: [], redirectURLs: [])
        plain.branding.name = "Plain"
        return Projects([settings, plain].map { Project(settings: $0, providers: [], publicURL: publicURL) })
    }
}
