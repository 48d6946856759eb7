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
    /// The secret of the request token that the sign-in began with (OAuth 1); `nil` with other protocols.
    package var requestTokenSecret: String?

    package init(
        codeVerifier: String, nonce: String, customParameters: [UTF8Text: UTF8Text] = [:], requestTokenSecret: String? = nil
    ) {
        self.codeVerifier = codeVerifier
        self.nonce = nonce
        self.customParameters = customParameters
        self.requestTokenSecret = requestTokenSecret
    }

    /// The secrets of a new sign-in.
    package static func random(customParameters: [UTF8Text: UTF8Text]) -> SignInSecrets {
        SignInSecrets(codeVerifier: Random.token(), nonce: Random.token(), customParameters: customParameters)
    }

    /// The S256 challenge of the verifier.
    package var codeChallenge: String { Base64URL.encode(Digest.sha256(Array(codeVerifier.utf8))) }
}
