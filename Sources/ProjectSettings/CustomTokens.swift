import Config
package import Text

extension ProjectSettings {
    /// `customTokens` of a project's file.
    package struct CustomTokens: Sendable {
        /// Whether a custom token signs in only once; Firebase accepts it any number of times until it expires.
        package var singleUse = false

        package init() {}

        /// Names that no claim of a custom token may have, since only the issuer of ID tokens sets them. They are Google's, too.
        /// <https://firebase.google.com/docs/auth/admin/create-custom-tokens#sign_custom_tokens_with_additional_claims>
        package static let reservedClaims: Set<UTF8Text> = [
            "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce",
            "sub",
        ]
    }
}

extension ProjectSettings.CustomTokens {
    init(_ section: Section) {
        self.init()
        singleUse = section.bool("singleUse", default: singleUse)
        section.finish()
    }
}
