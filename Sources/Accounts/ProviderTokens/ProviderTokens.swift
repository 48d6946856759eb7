package import Runtime

/// The tokens that a provider gave this server for one person, for requests to the provider's API.
package struct ProviderTokens: Sendable, Equatable {
    package let accessToken: String
    /// The secret that signs requests with the access token (OAuth 1.0a).
    package let accessTokenSecret: String?
    /// When the access token ends; `nil` when the provider did not say.
    package let expires: Instant?
    /// `nil` when the provider gave no refresh token.
    package let renewal: Renewal?

    package init(accessToken: String, accessTokenSecret: String? = nil, expires: Instant? = nil, renewal: Renewal? = nil) {
        self.accessToken = accessToken
        self.accessTokenSecret = accessTokenSecret
        self.expires = expires
        self.renewal = renewal
    }

    /// How newer tokens are got: a refresh token, and where the provider accepts it.
    package struct Renewal: Sendable, Equatable {
        package let refreshToken: String
        /// The client at the provider that it was given to.
        package let clientID: String
        /// The tenant of the provider that the app had asked for; `nil` when it asked for none.
        package let tenant: String?

        package init(refreshToken: String, clientID: String, tenant: String? = nil) {
            self.refreshToken = refreshToken
            self.clientID = clientID
            self.tenant = tenant
        }
    }

    /// The identity that tokens belong to: one account has at most one of each provider.
    package struct Owner: Sendable, Hashable {
        package let projectID: String
        package let accountID: String
        package let providerID: String

        package init(projectID: String, accountID: String, providerID: String) {
            self.projectID = projectID
            self.accountID = accountID
            self.providerID = providerID
        }
    }
}
