import Crypto
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
package import Text

/// Session cookies: long-lived tokens for the pages of a back end, which trades a person's ID token for one.
///
/// A cookie has the claims of the ID token, another issuer, and a signature by keys of its own, so that no call of ours takes one for an ID
/// token. Back ends verify it by themselves; the end of the person's sessions shows there as it does for ID tokens.
/// <https://firebase.google.com/docs/auth/admin/manage-cookies>
package struct SessionCookies: Sendable {
    package static let shortestLife: Duration = .seconds(300)
    package static let longestLife: Duration = .seconds(14 * 86400)

    let storage: Storage
    let clock: Clock
    let idTokens: IDTokens

    /// The public keys in the forms that verifiers fetch.
    package var publishedKeys: SigningKeys.Published { idTokens.signingKeys.publishedForSessionCookies }

    /// Makes a cookie for the person of the ID token, whose session must be alive when the record of it is committed (SEC-50).
    ///
    /// Throws what `IDTokens.account` throws, and `invalidIDToken` for a token of Google's: it never becomes a session (SEC-51).
    /// - Parameter life: from `shortestLife` to `longestLife`; the caller checks it.
    package func create(
        for idToken: UTF8Text, life: Duration, by administrator: Administrator
    ) async throws -> String {
        let project = administrator.project
        let now = try await retryingConflicts { () async throws(AccountError) in
            let (account, token) = try await idTokens.account(of: idToken.asString, in: project)
            guard !token.isGoogles else { throw .invalidIDToken }
            let now = clock.now()
            let record = administrator.act(on: account.id, at: now).record(AccountEvent(.sessionCookieCreated), in: project)
            _ = try await storage.write(
                all: [account.holdStanding(in: project)] + token.holdSession(in: project) + [record], by: administrator,
                waitingFor: account.id)
            return now
        }
        let claims = try Self.claims(of: idToken, for: project.id, from: now, lasting: life)
        // In development mode, an Admin SDK that believes unsigned ID tokens believes no signed cookie. And its claims are those of the token,
        // which its caller could have changed.
        if project.tokens.unsigned { return UnsignedJWT.text(provingNothing: claims) }
        return try idTokens.signingKeys.signer(for: .rs256, .sessionCookie, at: now).sign(claims: claims)
    }

    /// The claims of the ID token with those of a cookie in place of its own.
    private static func claims(
        of idToken: UTF8Text, for projectID: String, from now: Instant, lasting life: Duration
    ) throws -> [UInt8] {
        let parts = idToken.split(maxSplits: 2) { $0 == UInt8(ascii: ".") }
        guard parts.count > 1, let payload = Base64URL.decodeStrict(parts[1].asString), var claims = try JSON.parse(payload).object else {
            throw AccountError.invalidIDToken
        }
        claims["iss"] = .string("https://session.firebase.google.com/\(projectID)")
        claims["iat"] = .integer(now.seconds)
        claims["exp"] = .integer(now.seconds + life.wholeSeconds)
        return JSON.object(claims).bytes()
    }
}
