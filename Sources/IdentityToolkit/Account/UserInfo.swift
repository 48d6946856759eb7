import Accounts
import JSON
import Runtime
import Text

/// An account on the wire. 64-bit numbers are strings. Fields without a value are left out, since SDKs test whether a field is present.
///
/// Written field by field, since every app calls `accounts:lookup` after every sign-in and at every start.
struct UserInfo {
    let account: Account

    /// "REDACTED": SDKs look whether a hash is present, and no client gets to see it.
    static let redactedHash = "UkVEQUNURUQ="

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("localId", account.id)
            json.field("email", account.email)
            if account.email != nil { json.field("emailVerified", account.emailVerified) }
            json.field("displayName", account.displayName)
            json.field("photoUrl", account.photoURL)
            if account.hasEmailSignIn || !account.identities.isEmpty {
                json.array("providerUserInfo") { json in
                    Provider.forEach(of: account) { $0.write(to: &json) }
                }
            }
            json.field("validSince", decimal: account.validSince.seconds)
            if account.disabled { json.field("disabled", true) }
            json.field("createdAt", decimal: account.createdAt.milliseconds)
            json.field("lastLoginAt", decimal: account.lastLoginAt?.milliseconds)
            // Only the day: a more exact time would tell a thief when the owner refreshes (SEC-74). A sign-in issues new tokens, too.
            let refreshed = [account.lastRefreshAt, account.lastLoginAt].compactMap { $0 }.max()
            json.field("lastRefreshAt", refreshed.map { Timestamp.text(Instant(seconds: $0.seconds / 86400 * 86400)) })
            json.field("customAttributes", account.customAttributes)
            json.field("initialEmail", account.initialEmail)
            if account.hasPassword { json.field("passwordHash", Self.redactedHash) }
            // In milliseconds, as a number.
            json.field("passwordUpdatedAt", account.passwordUpdatedAt?.milliseconds)
            if account.emailLinkSignIn { json.field("emailLinkSignin", true) }
            if account.customAuth { json.field("customAuth", true) }
        }
    }

    /// One way to sign in to an account.
    struct Provider: Encodable {
        var providerId: String
        /// The same value twice: iOS reads one of the fields, JS and the Admin SDKs the other.
        var rawId: String
        var federatedId: String
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var screenName: String?

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("providerId", providerId)
                json.field("rawId", rawId)
                json.field("federatedId", federatedId)
                json.field("email", email)
                json.field("displayName", displayName)
                json.field("photoUrl", photoUrl)
                json.field("screenName", screenName)
            }
        }
    }
}

extension UserInfo.Provider {
    /// The upstream providers, and `password` for an address that signs in by itself.
    static func all(of account: Account) -> [Self] {
        var all: [Self] = []
        forEach(of: account) { all.append($0) }
        return all
    }

    static func forEach(of account: Account, _ body: (Self) -> Void) {
        for identity in account.identities { body(Self(identity)) }
        if account.hasEmailSignIn, let email = account.email {
            body(
                Self(
                    providerId: "password", rawId: email, federatedId: email, email: email, displayName: account.displayName,
                    photoUrl: account.photoURL))
        }
    }

    private init(_ identity: LinkedIdentity) {
        self.init(
            providerId: identity.providerID, rawId: identity.subject, federatedId: identity.subject, email: identity.email,
            displayName: identity.displayName, photoUrl: identity.photoURL, screenName: identity.screenName)
    }
}
