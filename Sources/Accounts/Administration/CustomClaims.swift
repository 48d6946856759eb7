import JSON
package import Text

/// Claims that an administrator adds to a person's tokens: the text of a JSON object, which is stored as it came.
/// <https://firebase.google.com/docs/auth/admin/custom-claims>
package enum CustomClaims {
    /// The text to store; `nil` for one without claims. The rules are those of a custom token's claims.
    ///
    /// Throws `customToken` with `invalidClaims`, `forbiddenClaim` or `claimsTooLarge`.
    package static func checked(_ text: UTF8Text) throws(AccountError) -> String? {
        guard !text.isEmpty else { return nil }
        guard text.asString.unicodeScalars.count <= CustomToken.longestClaims else { throw .customToken(.claimsTooLarge) }
        guard let object = (try? JSON.parse(text.asString))?.object else { throw .customToken(.invalidClaims) }
        if let reserved = object.first(where: { CustomToken.reservedClaims.contains($0.name) }) {
            throw .customToken(.forbiddenClaim(reserved.name))
        }
        return object.isEmpty ? nil : text.asString
    }
}
