package import Identity
import Text

/// The identity that a provider proved, and the tokens that it gave for the app. A provider gives the tokens that its protocol has:
/// not every one has ID tokens.
package struct ProviderResult: Sendable, Codable, Equatable {
    package var identity: ProviderIdentity
    package var idToken: String?
    package var accessToken: String?
    /// The secret that signs requests with the access token (OAuth 1.0a).
    package var accessTokenSecret: String?
    package var refreshToken: String?
    /// The life of the access token, in seconds.
    package var expiresIn: Int?

    /// The longest token of a provider, in bytes. Some issuers put hundreds of groups into their tokens.
    static let longestToken = 65_536
    /// Where the provider gave these tokens to this server; `nil` for tokens that an app posted, whose origin and end are not known here.
    package var grant: TokenGrant?

    package init(identity: ProviderIdentity, idToken: String? = nil, accessToken: String? = nil) {
        self.identity = identity
        self.idToken = idToken
        self.accessToken = accessToken
    }
}

/// Where a provider gave tokens to this server, and so where it renews them.
package struct TokenGrant: Sendable, Codable, Equatable {
    /// The client that they were given to: the entry's, or that of a native app.
    package let clientID: String
    /// The tenant that the app had asked for by a parameter; `nil` when it asked for none.
    package let tenant: String?

    package init(clientID: String, tenant: String? = nil) {
        self.clientID = clientID
        self.tenant = tenant
    }
}

extension ProviderResult {
    init(identity: ProviderIdentity, _ tokens: TokenResponse, of grant: TokenGrant) {
        self.init(identity: identity, idToken: tokens.idToken?.asString)
        take(tokens, of: grant)
    }

    /// Takes the tokens for the provider's API, with their life.
    mutating func take(_ tokens: TokenResponse, of grant: TokenGrant) {
        self.grant = grant
        accessToken = tokens.accessToken?.asString
        refreshToken = tokens.refreshToken?.asString
        expiresIn = tokens.expiresIn
    }
}
