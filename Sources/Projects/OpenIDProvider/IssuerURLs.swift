package import ProjectSettings

/// The addresses of a project's OpenID provider in one of its two shapes: that of the project itself, or that of Azure AD B2C for one of its
/// user flows.
///
/// All come from the configuration, never from a request (SEC-07), and in the configured spelling, however the request was spelled. None has a
/// query: AppAuth for iOS replaces the query of the authorization endpoint, and AppAuth-JS appends a second `?`.
package struct IssuerURLs: Sendable, Equatable {
    /// `iss` of every token and of every authorization response (RFC 9207).
    package let issuer: String
    package let authorization: String
    package let token: String
    package let userInfo: String
    package let introspection: String
    package let revocation: String
    package let endSession: String
    /// The same without scheme, host and port.
    package let endSessionPath: String
    package let pushedRequests: String
    package let keys: String

    /// The shape of the project itself: `https://host/acme`.
    package init(of project: ProjectSettings, publicURL: String) {
        let path = "/\(project.addressName)"
        self.init(
            publicURL, issuer: publicURL + path, endpoints: path + "/oauth2", userInfo: path + "/oauth2/userinfo",
            keys: path + "/oauth2/jwks")
    }

    /// The shape of Azure AD B2C: `https://host/acme/b2c_1_susi`.
    package init(of flow: UserFlow, in project: ProjectSettings, publicURL: String) {
        let path = "/\(project.addressName)/\(flow.name)"
        let directory = project.openIDProvider?.directoryID ?? project.addressName
        let issuer =
            switch flow.issuer {
            case .policy: "\(publicURL)\(path)/v2.0"
            case .tfp: "\(publicURL)/tfp/\(directory)/\(flow.name)/v2.0/"
            case .default: "\(publicURL)/\(directory)/v2.0/"
            }
        self.init(
            publicURL, issuer: issuer, endpoints: path + "/oauth2/v2.0", userInfo: path + "/openid/v2.0/userinfo",
            keys: path + "/discovery/v2.0/keys")
    }

    /// - Parameters: paths, except for `publicURL` and `issuer`.
    private init(_ publicURL: String, issuer: String, endpoints path: String, userInfo: String, keys: String) {
        self.issuer = issuer
        endSessionPath = path + "/logout"
        let endpoints = publicURL + path
        authorization = endpoints + "/authorize"
        token = endpoints + "/token"
        introspection = endpoints + "/introspect"
        revocation = endpoints + "/revoke"
        endSession = endpoints + "/logout"
        pushedRequests = endpoints + "/par"
        self.userInfo = publicURL + userInfo
        self.keys = publicURL + keys
    }
}

/// The paths of the provider's pages, with the `addressName` of their realm. They have no host, so that the browser stays at the name of this server at which it has its cookies.
package enum IssuerPaths {
    /// The hosted page at which a person signs in, chooses an account or consents.
    package static func signIn(_ addressName: String, request id: String) -> String { "/\(addressName)/sign-in?request=\(id)" }

    /// The hosted page to which a person comes back from a provider.
    package static func signInReturn(_ addressName: String) -> String { "/\(addressName)/sign-in/return" }

    /// The page at which people see and change what opens their account.
    package static func account(_ addressName: String) -> String { "/\(addressName)/account" }

    /// The address at which a request goes on when a hosted page has done its part.
    package static func resume(_ addressName: String, request id: String) -> String { "/\(addressName)/oauth2/resume?request=\(id)" }
}
