package import Text

/// The credential of an app that has signed in with the provider by itself.
package struct Credential: Sendable {
    package var idToken: UTF8Text?
    package var accessToken: UTF8Text?
    /// The secret that belongs to the access token (OAuth 1.0a).
    package var accessTokenSecret: UTF8Text?
    /// The nonce before the app hashed it for the provider.
    package var rawNonce: UTF8Text?

    package init(
        idToken: UTF8Text? = nil, accessToken: UTF8Text? = nil, accessTokenSecret: UTF8Text? = nil, rawNonce: UTF8Text? = nil
    ) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.accessTokenSecret = accessTokenSecret
        self.rawNonce = rawNonce
    }
}
