import Crypto
import JSON
import ProjectSettings
package import Runtime
import Text

/// A verified ID token: this server signed it for this project, or Google for the Firebase project that the people come from. Whether it is
/// still accepted depends on the account and on its session (`CallerLookup.swift`).
package struct IDToken: Sendable {
    package let accountID: String
    /// The session that it came from; `nil` for a token of a version that did not name it.
    let sessionID: [UInt8]?
    package let issued: Instant
    package let expires: Instant
    /// The time when the person authenticated; rules about recent sign-ins use it.
    package let authTime: Instant
    package let signInProvider: String
    /// The second factor of its session; `nil` for none.
    package var secondFactor: SecondFactorProof?
    /// Whether it is Google's, from the time before the people came here. Such a token never becomes a session (SEC-51).
    var isGoogles = false
}

extension IDToken {
    /// A token of Google's, which `FormerTokens` has verified.
    package init(google accountID: String, issued: Instant, expires: Instant, authTime: Instant, signInProvider: String) {
        self.init(
            accountID: accountID, sessionID: nil, issued: issued, expires: expires, authTime: authTime, signInProvider: signInProvider,
            isGoogles: true)
    }

    /// Reads the claims of a token; `nil` for those of another issuer, project or tenant (SEC-63), and for those that lack a part.
    init?(claims: JSON, from issuer: String, for project: ProjectSettings) {
        guard claims["iss"]?.string == UTF8Text(issuer), claims["aud"]?.string == UTF8Text(project.id),
            let accountID = claims["sub"]?.string, let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer,
            let authTime = claims["auth_time"]?.integer, let firebase = claims["firebase"],
            let provider = firebase["sign_in_provider"]?.string,
            firebase["tenant"]?.string == project.tenant.map({ UTF8Text($0.id) })
        else { return nil }
        // Before tokens named their session, a custom claim could have this name and any value.
        let id = claims["sid"]?.string.flatMap { Base64URL.decodeStrict($0.asString) }
        self.init(
            accountID: accountID.asString, sessionID: id?.count == Session.idCount ? id : nil, issued: Instant(seconds: issued),
            expires: Instant(seconds: expires), authTime: Instant(seconds: authTime), signInProvider: provider.asString)
        secondFactor = firebase["sign_in_second_factor"]?.string.map {
            SecondFactorProof(kind: $0.asString, id: firebase["second_factor_identifier"]?.string?.asString)
        }
    }
}

/// The `sign_in_provider` of sign-ins without an upstream provider.
package enum SignInProvider {
    package static let anonymous = "anonymous"
    /// For a password, and for a link in a mail.
    package static let password = "password"
    package static let custom = "custom"
    package static let phone = "phone"
    package static let passkey = "passkey"
}
