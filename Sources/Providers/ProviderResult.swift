package import Identity
import Text

/// What a provider proved, and the tokens that it gave for the app. A provider gives the tokens that its protocol has: not every one has ID
/// tokens.
package struct ProviderResult: Sendable, Codable, Equatable {
    package var identity: ProviderIdentity
    package var idToken: String?
    package var accessToken: String?
    /// The secret that signs requests with the access token (OAuth 1.0a).
    package var accessTokenSecret: String?
    package var refreshToken: String?
    /// The life of the access token, in seconds.
    package var expiresIn: Int?

    package init(identity: ProviderIdentity, idToken: String? = nil, accessToken: String? = nil) {
        self.identity = identity
        self.idToken = idToken
        self.accessToken = accessToken
    }
}

extension ProviderResult {
    init(identity: ProviderIdentity, _ tokens: TokenResponse) {
        self.init(identity: identity, idToken: tokens.idToken?.asString)
        take(tokens)
    }

    /// Takes the tokens for the provider's API, with their life.
    mutating func take(_ tokens: TokenResponse) {
        accessToken = tokens.accessToken?.asString
        refreshToken = tokens.refreshToken?.asString
        expiresIn = tokens.expiresIn
    }
}
