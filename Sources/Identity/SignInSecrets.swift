import Crypto
package import Text

/// The data of a sign-in at a provider that only this server knows, from its start until the provider's answer is redeemed. It is kept
/// sealed with the flow.
package struct SignInSecrets: Sendable, Codable, Equatable {
    /// PKCE (RFC 7636). The provider sees its hash at the start and the verifier when the code is redeemed.
    package var codeVerifier: String
    /// The provider repeats it in the ID token (OpenID Connect).
    package var nonce: String
    /// The app's parameters. They may narrow which people the provider lets in, so the redemption needs them again.
    package var customParameters: [UTF8Text: UTF8Text]
    /// The request token that the sign-in began with (OAuth 1.0a); `nil` with other protocols.
    package var requestToken: OAuth1Token?

    package init(
        codeVerifier: String, nonce: String, customParameters: [UTF8Text: UTF8Text] = [:], requestToken: OAuth1Token? = nil
    ) {
        self.codeVerifier = codeVerifier
        self.nonce = nonce
        self.customParameters = customParameters
        self.requestToken = requestToken
    }

    /// The secrets of a new sign-in.
    package static func random(customParameters: [UTF8Text: UTF8Text]) -> SignInSecrets {
        SignInSecrets(codeVerifier: Random.token(), nonce: Random.token(), customParameters: customParameters)
    }

    /// The S256 challenge of the verifier.
    package var codeChallenge: String { Base64URL.encode(Digest.sha256(Array(codeVerifier.utf8))) }
}

/// A token of OAuth 1.0a and the secret that signs requests with it: a request token while a person signs in, then an access token.
/// <https://www.rfc-editor.org/rfc/rfc5849#section-2>
package struct OAuth1Token: Sendable, Codable, Equatable {
    package var token: UTF8Text
    package var secret: UTF8Text

    package init(token: UTF8Text, secret: UTF8Text) {
        self.token = token
        self.secret = secret
    }
}
