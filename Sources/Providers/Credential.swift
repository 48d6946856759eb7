package import Text

/// The credential of an app that has signed in with the provider by itself. A field that the app posts empty counts as absent.
package struct Credential: Sendable {
    package let idToken: UTF8Text?
    package let accessToken: UTF8Text?
    /// The secret that belongs to the access token (OAuth 1.0a).
    package let accessTokenSecret: UTF8Text?
    /// The nonce before the app hashed it for the provider.
    package let rawNonce: UTF8Text?
    /// The code that came with the ID token, for the provider's other tokens.
    package let code: UTF8Text?
    /// The person as the provider described them to the app beside the tokens, unsigned.
    package let user: UTF8Text?

    package init(
        idToken: UTF8Text? = nil, accessToken: UTF8Text? = nil, accessTokenSecret: UTF8Text? = nil, rawNonce: UTF8Text? = nil,
        code: UTF8Text? = nil, user: UTF8Text? = nil
    ) {
        self.idToken = Self.present(idToken)
        self.accessToken = Self.present(accessToken)
        self.accessTokenSecret = Self.present(accessTokenSecret)
        self.rawNonce = Self.present(rawNonce)
        self.code = Self.present(code)
        self.user = Self.present(user)
    }

    private static func present(_ field: UTF8Text?) -> UTF8Text? { field.flatMap { $0.isEmpty ? nil : $0 } }
}
