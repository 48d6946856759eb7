import Crypto
import JOSE
import JSON
import Postgres
package import ProjectSettings
import Runtime
import Text

/// Signs custom tokens for a Firebase project, by which a person of this project gets at the data there (`FirestoreAccess`).
///
/// A person shows an ID token of this server. One of Google's is refused, also while people move here: a thief who found one could otherwise trade
/// it for a session at Google that lasts longer than the token.
package struct FirestoreTokens: Sendable {
    let idTokens: IDTokens

    /// The time that an app has to show a token to Google.
    package static let lifetime: Duration = .seconds(300)

    /// A token for the person of this ID token, in one round trip. It has the claims that the account and the session have now.
    ///
    /// Throws what `IDTokens.account` throws, `tooManyAttempts`, and `claimsTooLarge` where Google would not take the claims.
    package func token(
        forIDToken text: String, of access: FirestoreAccess, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws -> String {
        let idToken = try idTokens.ownToken(text, in: project)
        let session: SQL = """
            coalesce((SELECT ARRAY[developer_claims, nullif(second_factor, \(SecondFactorProof.rememberedDevice.kind))] FROM sessions
                WHERE project_id = \(project: project) AND session_id = \(idToken.sessionID ?? [])), '{}')
            """
        var (account, others) = try await idTokens.account(
            of: idToken, with: session, charging: (.firestoreToken, client), in: project)
        let texts = try others.next(as: [String?].self)
        let subject = Subject(
            accountID: account.id, customClaims: try Self.object(account.customAttributes), signInProvider: idToken.signInProvider,
            developerClaims: try Self.object(texts.first ?? nil), secondFactor: texts.last ?? nil)
        return try Self.sign(subject, of: access, at: idTokens.clock.now())
    }

    /// The person, and how they have signed in.
    struct Subject {
        var accountID: String
        /// Those that administrators have given the account.
        var customClaims: JSON.Object = [:]
        var signInProvider: String
        /// Those that a custom token gave the session; they override the account's.
        var developerClaims: JSON.Object = [:]
        /// `sign_in_second_factor` of the session.
        var secondFactor: String?
    }

    /// <https://firebase.google.com/docs/auth/admin/create-custom-tokens#create_custom_tokens_using_a_third-party_jwt_library>
    static func sign(_ subject: Subject, of access: FirestoreAccess, at now: Instant) throws -> String {
        let claims = claims(of: subject, allowed: access.claims)
        var payload: JSON.Object = [
            "iss": .string(access.signer.email), "sub": .string(access.signer.email), "aud": .string(CustomToken.audience),
            "iat": .integer(now.seconds), "exp": .integer((now + lifetime).seconds), "uid": .string(subject.accountID),
        ]
        if !claims.isEmpty {
            let claims = JSON.object(claims)
            guard claims.text().unicodeScalars.count <= CustomToken.longestClaims else {
                throw AccountError.customToken(.claimsTooLarge)
            }
            payload["claims"] = claims
        }
        let signer = Signer(
            key: try PrivateKey(pem: access.signer.privateKey.reveal()), kid: access.signer.keyID, algorithm: .rs256)
        return try signer.sign(claims: JSON.object(payload).bytes())
    }

    /// The allowed claims that the person has. The names of ours count for nothing in claims of the account.
    private static func claims(of subject: Subject, allowed: [UTF8Text]) -> JSON.Object {
        var claims: JSON.Object = [:]
        for name in allowed {
            claims[name] =
                switch name {
                case FirestoreAccess.providerClaim: .string(subject.signInProvider)
                case FirestoreAccess.secondFactorClaim: subject.secondFactor.map { .string($0) }
                default: subject.developerClaims[name] ?? subject.customClaims[name]
                }
        }
        return claims
    }

    private static func object(_ text: String?) throws -> JSON.Object { try text.map { try JSON.parse($0).object ?? [:] } ?? [:] }
}
