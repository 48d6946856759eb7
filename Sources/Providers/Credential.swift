package import Text

/// The credential of an app that has signed in with the provider by itself.
package struct Credential: Sendable {
    package var idToken: UTF8Text?
    package var accessToken: UTF8Text?
    /// The secret that belongs to the access token (OAuth 1.0a).
    package var accessTokenSecret: UTF8Text?
    /// The nonce before the app hashed it for the provider.
    package var rawNonce: UTF8Text?
    /// The code that came with the ID token, for the provider's other tokens.
    package var code: UTF8Text?
    /// What the provider said of the person to the app beside the tokens, unsigned.
    package var user: UTF8Text?

    package init(
        idToken: UTF8Text? = nil, accessToken: UTF8Text? = nil, accessTokenSecret: UTF8Text? = nil, rawNonce: UTF8Text? = nil,
        code: UTF8Text? = nil, user: UTF8Text? = nil
    ) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.accessTokenSecret = accessTokenSecret
        self.rawNonce = rawNonce
        self.code = code
        self.user = user
    }
}
