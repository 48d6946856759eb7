package import Runtime

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

/// `sign_in_provider` of sign-ins that no upstream provider has part in.
package enum SignInProvider {
    package static let anonymous = "anonymous"
    /// By password, and by a link in a mail.
    package static let password = "password"
    package static let custom = "custom"
}
