package import Runtime

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

/// The `sign_in_provider` of sign-ins without an upstream provider.
package enum SignInProvider {
    package static let anonymous = "anonymous"
    /// For a password, and for a link in a mail.
    package static let password = "password"
    package static let custom = "custom"
    package static let phone = "phone"
}
