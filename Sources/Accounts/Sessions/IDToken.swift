import Crypto
import JSON
import ProjectSettings
package import Runtime
import Text

/// A verified ID token: this server signed it for this project. Whether it is still accepted depends on the account and on its session
/// (`IDTokenSession.swift`).
package struct IDToken: Sendable {
    package let accountID: String
    /// The session that it came from; `nil` for a token of a version that did not name it.
    let sessionID: [UInt8]?
    package let issued: Instant
    package let expires: Instant
    /// The time when the person authenticated; rules about recent sign-ins use it.
    package let authTime: Instant
    package let signInProvider: String
}

extension IDToken {
    /// Reads the claims of a token, in JSON that this server wrote; `nil` for those of another issuer or project, and for those that lack a part.
    init?(claims: [UInt8], from issuer: String, for project: ProjectSettings) {
        var (ownIssuer, ownAudience) = (false, false)
        var (accountID, sessionID, provider): (UTF8Text?, UTF8Text?, UTF8Text?)
        var (issued, expires, authTime): (Int64?, Int64?, Int64?)
        do {
            var members = try MemberReader(object: claims)
            while try members.next() {
                if members.isNamed("iss") {
                    ownIssuer = try members.text() == UTF8Text(issuer)
                } else if members.isNamed("aud") {
                    ownAudience = try members.text() == UTF8Text(project.id)
                } else if members.isNamed("sub") {
                    accountID = try members.text()
                } else if members.isNamed("sid") {
                    sessionID = try members.text()
                } else if members.isNamed("iat") {
                    issued = try members.integer()
                } else if members.isNamed("exp") {
                    expires = try members.integer()
                } else if members.isNamed("auth_time") {
                    authTime = try members.integer()
                } else if members.isNamed("firebase"), try members.enter() {
                    while try members.next() { if members.isNamed("sign_in_provider") { provider = try members.text() } }
                }
            }
        } catch {
            return nil
        }
        guard ownIssuer, ownAudience, let accountID, let issued, let expires, let authTime, let provider else { return nil }
        // Before tokens named their session, a custom claim could have this name and any value.
        let id = sessionID.flatMap { Base64URL.decodeStrict($0.asString) }
        self.init(
            accountID: accountID.asString, sessionID: id?.count == Session.idCount ? id : nil, issued: Instant(seconds: issued),
            expires: Instant(seconds: expires), authTime: Instant(seconds: authTime), signInProvider: provider.asString)
    }
}

/// The `sign_in_provider` of sign-ins without an upstream provider.
package enum SignInProvider {
    package static let anonymous = "anonymous"
    /// For a password, and for a link in a mail.
    package static let password = "password"
    package static let custom = "custom"
    package static let phone = "phone"
}
