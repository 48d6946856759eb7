package import JOSE
package import Postgres
import Runtime

/// The use of a signing key. A key has one purpose, so that a token for one is never taken for another.
package enum SigningKeyPurpose: String, Sendable, CaseIterable {
    /// ID tokens, and what relying parties get.
    case idToken
    /// Session cookies, which back ends get in place of a person's ID token.
    case sessionCookie

    /// The algorithms that there are keys for. Session cookies have one, since the Admin SDKs verify them by certificates with RSA keys.
    package var algorithms: [Algorithm] {
        switch self {
        case .idToken: [.rs256, .es256]
        case .sessionCookie: [.rs256]
        }
    }

    /// How long a key stays published after it has signed for the last time: longer than the longest life of what it signed.
    var retention: Duration {
        switch self {
        case .idToken: .seconds(25 * 3600)
        case .sessionCookie: SessionCookies.longestLife + .seconds(3600)
        }
    }

    /// The table that holds the keys.
    package var table: SQL { SQL(unsafe: tableName) }

    var tableName: String {
        switch self {
        case .idToken: "signing_keys"
        case .sessionCookie: "session_cookie_keys"
        }
    }

    /// The name in the certificates.
    var commonName: String {
        switch self {
        case .idToken: "securetoken.system.gserviceaccount.com"
        case .sessionCookie: "session.firebase.google.com"
        }
    }
}
