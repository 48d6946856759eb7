import Crypto
import JOSE
import JSON
import Runtime

/// A custom token that holds: a service account's word, signed, on who somebody is. All rules about it, without I/O.
///
/// `Unverified.parse` reads what may choose a key; `Unverified.verified` gives the token that one of these keys signed for this project.
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
    static let reservedClaims: Set<String> = [
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
    case forbiddenClaim(String)
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
        let issuer: String
        /// Of the key; not all Admin SDKs name it.
        let keyID: String?
        private let token: UnverifiedJWT

        static func parse(_ text: String) throws(CustomTokenError) -> Unverified {
            let token: UnverifiedJWT
            do { token = try UnverifiedJWT.parse(text) } catch {
                switch error {
                case .unsupportedAlgorithm: throw .invalid("The token must be signed with RS256.")
                case .tooLarge: throw .invalid("The token is too large.")
                default: throw .invalid("Invalid assertion format. 3 dot separated segments required.")
                }
            }
            guard token.algorithm == .rs256 else { throw .invalid("The token must be signed with RS256.") }
            guard token.claims["aud"]?.string == audience else { throw .invalid("Invalid audience.") }
            guard let issuer = token.claims["iss"]?.string, !issuer.isEmpty, token.claims["sub"]?.string == issuer else {
                throw .invalid("iss and sub must both be the service account's e-mail.")
            }
            return Unverified(issuer: issuer, keyID: token.kid, token: token)
        }

        /// - Parameter keys: the live keys of the account that the token names, in whatever project.
        func verified(by keys: [ServiceAccountKey], for projectID: String, at now: Instant) throws(CustomTokenError) -> CustomToken {
            // One key at a time: a set of several would have to be told apart by a `kid`, which the token need not have.
            guard let signer = keys.first(where: { key in (try? token.verified(with: JWKSet([key.key]), algorithms: [.rs256])) != nil })
            else { throw .invalid("No key of a service account of this project signed the token.") }
            let expires = try checkTimes(at: now)
            guard signer.projectID == projectID else { throw .otherProject }
            if let tenant = token.claims["tenant_id"], !tenant.isNull, tenant != "" { throw .tenant }
            return CustomToken(
                uid: try uid(), developerClaims: try developerClaims(), expires: expires,
                digest: Array(Digest.sha256(token.signature.signedBytes).prefix(16)))
        }

        private func checkTimes(at now: Instant) throws(CustomTokenError) -> Instant {
            guard let issued = token.claims["iat"]?.integer, let expires = token.claims["exp"]?.integer else {
                throw .invalid("iat and exp must be numbers.")
            }
            // Bounded first, so that the arithmetic below cannot overflow.
            guard issued <= now.seconds + skew else { throw .invalid("The token was issued in the future.") }
            guard expires > now.seconds else { throw .invalid("The token has expired.") }
            guard issued > 0, expires <= now.seconds + skew + longestLife, (1...longestLife).contains(expires - issued) else {
                throw .invalid("The token must expire within an hour of its issue.")
            }
            if let start = token.claims["nbf"] {
                guard let start = start.integer, start <= now.seconds + skew else { throw .invalid("The token is not valid yet.") }
            }
            return Instant(seconds: expires)
        }

        private func uid() throws(CustomTokenError) -> String {
            let named = [token.claims["uid"], token.claims["user_id"]].compactMap { $0 }
            guard let claim = named.first(where: { !$0.isNull }), claim != "" else { throw .missingUID }
            guard let uid = claim.string, uid.unicodeScalars.count <= longestUID,
                uid.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { throw .invalid("uid must be a string of at most \(longestUID) characters.") }
            return uid
        }

        private func developerClaims() throws(CustomTokenError) -> String? {
            guard let claims = token.claims["claims"], !claims.isNull else { return nil }
            guard let object = claims.object else { throw .invalidClaims }
            if let reserved = object.first(where: { reservedClaims.contains($0.name) }) { throw .forbiddenClaim(reserved.name) }
            let text = claims.text()
            guard text.unicodeScalars.count <= longestClaims else { throw .claimsTooLarge }
            return object.isEmpty ? nil : text
        }
    }
}
