import Crypto
import JOSE
import JSON
import Runtime
package import Text

/// A custom token that holds: a service account's word, signed, on who somebody is. All rules about it, without I/O.
///
/// `Unverified.parse` reads what may choose a key; `Unverified.verified` gives the token that one of these keys signed for this project.
/// What the claims must be is in `CustomTokenClaims`; `CustomToken.unsigned` reads the tokens that development mode takes besides.
/// <https://firebase.google.com/docs/auth/admin/create-custom-tokens#create_custom_tokens_using_a_third-party_jwt_library>
struct CustomToken: Sendable, Equatable {
    /// The account to sign in to, or to make.
    let uid: String
    /// A JSON object as text: claims for every ID token of the session.
    let developerClaims: String?
    let expires: Instant
    /// Of what was signed: the token's name where it may be used once only. 16 bytes.
    let digest: [UInt8]

    /// `aud` of every custom token, as all Admin SDKs write it.
    static let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// Seconds from `iat` to `exp`.
    static let longestLife: Int64 = 3600
    /// Seconds by which a back end's clock may be ahead of ours.
    static let skew: Int64 = 60
    static let longestUID = 128
    static let longestClaims = 1000

    /// Claims that are the issuer's to make.
    static let reservedClaims: Set<UTF8Text> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "sub",
    ]
}

/// Why a custom token is refused.
package enum CustomTokenError: Error, Equatable {
    /// It cannot be read, nobody who may signed it, or it is not for now.
    case invalid(String)
    /// A service account of another project signed it.
    case otherProject
    /// It names a tenant.
    case tenant
    case missingUID
    /// `claims` is no object.
    case invalidClaims
    case forbiddenClaim(UTF8Text)
    case claimsTooLarge
}

/// A key that may sign custom tokens of its project.
struct ServiceAccountKey: Sendable {
    let projectID: String
    let key: JWK
}

extension CustomToken {
    /// What a token says of itself.
    struct Unverified: Sendable {
        /// The service account that it claims to be of.
        let issuer: UTF8Text
        /// Of the key; not all Admin SDKs name it.
        let keyID: UTF8Text?
        private let token: UnverifiedJWT

        static func parse(_ text: UTF8Text) throws(CustomTokenError) -> Unverified {
            let token: UnverifiedJWT
            do { token = try UnverifiedJWT.parse(text.asString) } catch {
                switch error {
                case .unsupportedAlgorithm: throw .invalid("The token must be signed with RS256.")
                case .tooLarge: throw .invalid("The token is too large.")
                default: throw .malformed
                }
            }
            guard token.algorithm == .rs256 else { throw .invalid("The token must be signed with RS256.") }
            // It goes into a query, where no text with U+0000 can.
            guard token.kid?.hasNUL != true else { throw .invalid("kid holds a control character.") }
            return Unverified(issuer: try CustomTokenClaims(token.claims).issuer(), keyID: token.kid, token: token)
        }

        /// - Parameter keys: the live keys of the account that the token names, in whatever project.
        func verified(by keys: [ServiceAccountKey], for projectID: String, at now: Instant) throws(CustomTokenError) -> CustomToken {
            // One key at a time: a set of several would have to be told apart by a `kid`, which the token need not have.
            guard let signer = keys.first(where: { key in (try? token.verified(with: JWKSet([key.key]), algorithms: [.rs256])) != nil })
            else { throw .invalid("No key of a service account of this project signed the token.") }
            let claims = CustomTokenClaims(token.claims)
            let expires = try claims.expires(at: now)
            guard signer.projectID == projectID else { throw .otherProject }
            return try claims.token(expires: expires, signedBytes: token.signature.signedBytes)
        }
    }
}

extension CustomTokenError {
    static let malformed = CustomTokenError.invalid("Invalid assertion format. 3 dot separated segments required.")
}
