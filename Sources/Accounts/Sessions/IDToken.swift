import Crypto
import JOSE
import JSON
package import Runtime
import Text

/// An ID token that was verified: this server signed it for this project. Whether it still counts depends on the account and on the session
/// that it came from (`IDTokenSession.swift`).
package struct IDToken: Sendable {
    package let accountID: String
    /// The session that it came from; `nil` for a token of a version that did not say so.
    let sessionID: [UInt8]?
    package let issued: Instant
    package let expires: Instant
    /// When the person authenticated; recent-login rules count from here.
    package let authTime: Instant
    package let signInProvider: String
}

extension ProjectSettings {
    /// `iss` of the project's ID tokens.
    /// - Parameter publicURL: the server's own address.
    package func issuer(publicURL: String) -> String {
        switch tokens.issuer {
        case .firebase: "https://securetoken.google.com/\(id)"
        case .gatehouse: "\(publicURL)/\(id)"
        }
    }
}

extension Accounts {
    /// Signs an ID token of `session`, with the account's present profile.
    ///
    /// Claims and their order of precedence are Firebase's: custom claims may override the name and the picture, never the rest.
    /// <https://firebase.google.com/docs/auth/admin/verify-id-tokens>
    package func idToken(for account: Account, _ session: Session, in project: ProjectSettings) throws -> String {
        let now = clock.now()
        // Later ones override earlier ones, and both override the name and the picture.
        var custom = try account.customAttributes.map { try JSON.parse($0).object } ?? nil
        if let text = session.developerClaims, let developer = try JSON.parse(text).object {
            custom = (custom ?? [:]).merging(developer)
        }
        var claims = JSONWriter(capacity: 640)
        claims.object { claims in
            if custom?["name"] == nil { claims.field("name", account.displayName) }
            if custom?["picture"] == nil { claims.field("picture", account.photoURL) }
            for claim in custom ?? [:] where !Self.ownClaims.contains(claim.name) { claims.field(claim.name.asString, json: claim.value) }
            if session.signInProvider == SignInProvider.anonymous { claims.field("provider_id", SignInProvider.anonymous) }
            claims.field("iss", project.issuer(publicURL: publicURL))
            claims.field("aud", project.id)
            claims.field("auth_time", session.authTime.seconds)
            claims.field("user_id", account.id)
            claims.field("sub", account.id)
            claims.field("sid", Base64URL.encode(session.id))
            claims.field("iat", now.seconds)
            claims.field("exp", now.seconds + project.tokens.lifetime.wholeSeconds)
            if let email = account.email {
                claims.field("email", email)
                claims.field("email_verified", account.emailVerified)
            }
            claims.object("firebase") { firebase in
                firebase.object("identities") { identities in
                    for identity in account.identities { identities.array(identity.providerID) { $0.value(identity.subject) } }
                    if let email = account.email { identities.array("email") { $0.value(email) } }
                }
                firebase.field("sign_in_provider", session.signInProvider)
            }
        }
        return try signingKeys.signer(for: project.tokens.algorithm, at: now).sign(claims: claims.bytes)
    }

    /// Claims that custom attributes never override.
    private static let ownClaims: Set<UTF8Text> = [
        "iss", "aud", "auth_time", "user_id", "sub", "sid", "iat", "exp", "email", "email_verified", "phone_number", "firebase",
        "provider_id",
    ]

    /// What projects sign with.
    private static let algorithms: Set<Algorithm> = [.rs256, .es256]

    /// Checks signature, issuer and audience. The caller checks the expiry, after the account (docs/wire.md, "Order of checks").
    func verified(_ token: String, in project: ProjectSettings) throws(AccountError) -> IDToken {
        do {
            let jwt = try UnverifiedJWT.parse(token).verified(with: signingKeys.published.keys, algorithms: Self.algorithms)
            guard let issuer = jwt.claims["iss"]?.string, issuer == project.issuer(publicURL: publicURL),
                let audience = jwt.claims["aud"]?.string, audience == project.id,
                let accountID = jwt.claims["sub"]?.string, let issued = jwt.claims["iat"]?.integer,
                let expires = jwt.claims["exp"]?.integer, let authTime = jwt.claims["auth_time"]?.integer,
                let provider = jwt.claims["firebase"]?["sign_in_provider"]?.string
            else { throw AccountError.invalidIDToken }
            // Before tokens named their session, a custom claim might have had this name, in any form.
            let sessionID = jwt.claims["sid"]?.string.flatMap { Base64URL.decodeStrict($0.asString) }
                .flatMap { $0.count == Session.idCount ? $0 : nil }
            return IDToken(
                accountID: accountID.asString, sessionID: sessionID, issued: Instant(seconds: issued), expires: Instant(seconds: expires),
                authTime: Instant(seconds: authTime), signInProvider: provider.asString)
        } catch {
            throw .invalidIDToken
        }
    }
}

/// `sign_in_provider` of sign-ins that no upstream provider has part in.
package enum SignInProvider {
    package static let anonymous = "anonymous"
    /// By password, and by a link in a mail.
    package static let password = "password"
    package static let custom = "custom"
}
