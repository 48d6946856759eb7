import JSON
import ProjectSettings
package import Text

/// Claims that an administrator adds to a person's tokens: the text of a JSON object, which is stored as it came.
/// <https://firebase.google.com/docs/auth/admin/custom-claims>
package enum CustomClaims {
    /// In characters.
    package static let longest = CustomToken.longestClaims

    /// Claims of an account of another system.
    package struct Imported: Sendable, Equatable {
        /// The text to store; `nil` for one without claims.
        package let text: String?
        /// The claims with reserved names. They are kept: the other system may have allowed them, and tokens never take them in place of ours.
        package let reserved: [UTF8Text]
    }

    /// Throws `customToken` with `invalidClaims` or `claimsTooLarge`.
    package static func imported(_ text: UTF8Text) throws(AccountError) -> Imported {
        let object = try object(text)
        return Imported(
            text: object.isEmpty ? nil : text.asString,
            reserved: object.map(\.name).filter(ProjectSettings.CustomTokens.reservedClaims.contains))
    }

    /// The text to store; `nil` for one without claims. The rules are those of a custom token's claims.
    ///
    /// Throws `customToken` with `invalidClaims`, `forbiddenClaim` or `claimsTooLarge`.
    package static func checked(_ text: UTF8Text) throws(AccountError) -> String? {
        guard !text.isEmpty else { return nil }
        let object = try object(text)
        if let reserved = object.first(where: { ProjectSettings.CustomTokens.reservedClaims.contains($0.name) }) {
            throw .customToken(.forbiddenClaim(reserved.name))
        }
        return object.isEmpty ? nil : text.asString
    }

    private static func object(_ text: UTF8Text) throws(AccountError) -> JSON.Object {
        guard text.asString.unicodeScalars.count <= longest else { throw .customToken(.claimsTooLarge) }
        guard let object = (try? JSON.parse(text.asString))?.object else { throw .customToken(.invalidClaims) }
        return object
    }
}
