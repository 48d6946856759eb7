package import Accounts
import JOSE
package import JSON
package import ProjectSettings
package import Runtime
import Text

/// The claims of an ID token that Google made for a person of a Firebase project.
/// <https://firebase.google.com/docs/auth/admin/verify-id-tokens#verify_id_tokens_using_a_third-party_jwt_library>
///
/// The end is not checked here: our calls check it after the account, as they do for our own tokens.
package struct GoogleIDToken: Sendable {
    package let idToken: IDToken
    package let secondFactor: SecondFactorProof?
    /// All claims that are not Firebase's own: those that administrators have added, and those of a custom token.
    package let customClaims: JSON.Object

    /// The reason why a token is not one of the project's people.
    package enum Fault: Error, Equatable {
        /// It is of another issuer or another project.
        case otherProject
        /// Its person belongs to a tenant.
        case tenant
        /// The named claim is absent, or has another form than it must.
        case claim(String)
        /// It, or the sign-in that it names, is from the future.
        case future
    }

    /// Throws unless the claims are those of a token of this Firebase project. The caller has checked the signature, or does afterwards.
    package init(_ claims: JSON, of migration: FirebaseMigration, at now: Instant) throws(Fault) {
        guard claims["iss"]?.string == UTF8Text(migration.issuer), claims["aud"]?.string == UTF8Text(migration.projectID) else {
            throw .otherProject
        }
        guard let uid = claims["sub"]?.string, AccountID.isPossible(uid), uid.utf8.count <= AccountID.longest else { throw .claim("sub") }
        if let other = claims["user_id"], other.string != uid { throw .claim("user_id") }
        let (issued, authTime) = (try Self.time("iat", claims), try Self.time("auth_time", claims))
        let latest = now + TokenTimes.leeway
        guard issued.seconds <= latest.seconds, authTime.seconds <= latest.seconds else { throw .future }
        guard let firebase = claims["firebase"], let provider = firebase["sign_in_provider"]?.string, !provider.isEmpty, !provider.hasNUL
        else { throw .claim("firebase") }
        if let tenant = firebase["tenant"], !tenant.isNull { throw .tenant }
        idToken = IDToken(
            google: uid.asString, issued: issued, expires: try Self.time("exp", claims), authTime: authTime,
            signInProvider: provider.asString)
        secondFactor = firebase["sign_in_second_factor"]?.string.flatMap { kind in
            let id = firebase["second_factor_identifier"]?.string
            return kind.hasNUL || id?.hasNUL ?? false ? nil : SecondFactorProof(kind: kind.asString, id: id?.asString)
        }
        var custom: JSON.Object = [:]
        for claim in claims.object ?? [:] where !Self.standard.contains(claim.name) { custom[claim.name] = claim.value }
        customClaims = custom
    }

    private static func time(_ name: String, _ claims: JSON) throws(Fault) -> Instant {
        // Far from the ends of what a time can be, so that no sum overflows.
        guard let seconds = claims[UTF8Text(name)]?.integer, (0...(1 << 40)).contains(seconds) else { throw .claim(name) }
        return Instant(seconds: seconds)
    }

    /// The claims that Firebase writes itself.
    private static let standard: Set<UTF8Text> = [
        "iss", "aud", "auth_time", "user_id", "sub", "iat", "exp", "email", "email_verified", "phone_number", "firebase", "name", "picture",
        "provider_id",
    ]
}
