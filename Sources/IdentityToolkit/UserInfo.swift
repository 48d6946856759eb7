import Accounts
import Runtime

/// An account on the wire. 64-bit numbers are strings; what is absent is left out, since SDKs test for presence.
struct UserInfo: Encodable {
    var localId: String
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var providerUserInfo: [Provider]?
    var validSince: String
    var disabled: Bool?
    var createdAt: String
    var lastLoginAt: String?
    var lastRefreshAt: String?
    var customAttributes: String?
    var initialEmail: String?
    var passwordHash: String?
    /// Milliseconds, as a number.
    var passwordUpdatedAt: Int?
    var emailLinkSignin: Bool?
    var customAuth: Bool?

    /// "REDACTED": SDKs look whether there is a hash, and nobody gets to see it.
    private static let redacted = "UkVEQUNURUQ="

    struct Provider: Encodable {
        var providerId: String
        /// The same twice: iOS reads one, JS and the Admin SDKs the other.
        var rawId: String
        var federatedId: String
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var screenName: String?
    }

    init(_ account: Account) {
        localId = account.id
        email = account.email
        emailVerified = account.email == nil ? nil : account.emailVerified
        displayName = account.displayName
        photoUrl = account.photoURL
        let providers = Provider.all(of: account)
        providerUserInfo = providers.isEmpty ? nil : providers
        validSince = String(account.validSince.seconds)
        disabled = account.disabled ? true : nil
        createdAt = String(account.createdAt.milliseconds)
        lastLoginAt = account.lastLoginAt.map { String($0.milliseconds) }
        lastRefreshAt = account.lastRefreshAt.map(Timestamp.text)
        customAttributes = account.customAttributes
        initialEmail = account.initialEmail
        passwordHash = account.hasPassword ? Self.redacted : nil
        passwordUpdatedAt = account.passwordUpdatedAt.map { Int($0.milliseconds) }
        emailLinkSignin = account.emailLinkSignIn ? true : nil
        customAuth = account.customAuth ? true : nil
    }
}

extension UserInfo.Provider {
    /// The upstream providers, and `password` for an address that signs in itself.
    static func all(of account: Account) -> [Self] {
        var all = account.identities.map(Self.init)
        if account.hasEmailSignIn, let email = account.email {
            all.append(
                Self(
                    providerId: "password", rawId: email, federatedId: email, email: email, displayName: account.displayName,
                    photoUrl: account.photoURL))
        }
        return all
    }

    init(_ identity: LinkedIdentity) {
        self.init(
            providerId: identity.providerID, rawId: identity.subject, federatedId: identity.subject, email: identity.email,
            displayName: identity.displayName, photoUrl: identity.photoURL, screenName: identity.screenName)
    }
}
