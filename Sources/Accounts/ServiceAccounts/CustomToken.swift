import Crypto
import JOSE
import JSON
import Runtime
package import Text

/// A valid custom token: a service account's signed statement about who a person is. All rules about it, without I/O.
///
/// `Unverified.parse` reads the parts by which a key is chosen. `Unverified.verified` returns the token if one of these keys signed it for
/// this project. The rules for the claims are in `CustomTokenClaims`. `CustomToken.unsigned` reads the tokens that development mode also
/// accepts. <https://firebase.google.com/docs/auth/admin/create-custom-tokens#create_custom_tokens_using_a_third-party_jwt_library>
struct CustomToken: Sendable, Equatable {
    /// The account to sign in to, or to create.
    let uid: String
    /// The tenant whose account it is; `nil` for the project itself.
    let tenantID: UTF8Text?
    /// A JSON object as text: claims for every ID token of the session.
    let developerClaims: String?
    let issued: Instant
    /// The time from which it is refused in any case.
    let expires: Instant
    /// The digest of the signed bytes, 16 bytes: the token's name when it may be used only once.
    let digest: [UInt8]

    /// `aud` of every custom token, as all Admin SDKs write it.
    static let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    static let longestClaims = 1000
}

/// The reason why a custom token is refused.
package enum CustomTokenError: Error, Equatable {
    /// It cannot be read, no authorized key signed it, or it is not valid at this time.
    case invalid(String)
    /// A service account of another project signed it.
    case otherProject
    /// It names another tenant than the call.
    case tenant
    case missingUID
    /// `claims` is not an object.
    case invalidClaims
    case forbiddenClaim(UTF8Text)
    case claimsTooLarge
}

extension CustomToken {
    /// The statements of a token about itself.
    struct Unverified: Sendable {
        /// The service account that it claims to come from.
        let issuer: UTF8Text
        /// The id of the key; not all Admin SDKs send it.
        var keyID: UTF8Text? { token.keyID }
        private let token: ServiceAccountJWT

        static func parse(_ text: UTF8Text) throws(CustomTokenError) -> Unverified {
            let token: ServiceAccountJWT
            do { token = try ServiceAccountJWT.parse(text, as: .customToken) } catch { throw .invalid(error.text) }
            return Unverified(issuer: try CustomTokenClaims(token.claims).issuer(), token: token)
        }

        /// - Parameter keys: the live keys of the account that the token names, in whichever project.
        func verified(by keys: [ServiceAccountKey], for projectID: String, at now: Instant) throws(CustomTokenError) -> CustomToken {
            guard let signer = token.signer(among: keys) else {
                throw .invalid("No key of a service account of this project signed the token.")
            }
            let claims = CustomTokenClaims(token.claims)
            let times = try claims.times(at: now)
            guard signer.projectID == projectID else { throw .otherProject }
            guard signer.rights.contains(.customTokens) else { throw .invalid("The service account may not sign custom tokens.") }
            return try claims.token(times, signedBytes: token.signedBytes)
        }
    }
}

extension CustomTokenError {
    static let malformed = CustomTokenError.invalid(ServiceAccountJWT.Fault.malformed.text)
}
