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
        providerUserInfo = account.identities.isEmpty ? nil : account.identities.map(Provider.init)
        validSince = String(account.validSince.seconds)
        disabled = account.disabled ? true : nil
        createdAt = String(account.createdAt.milliseconds)
        lastLoginAt = account.lastLoginAt.map { String($0.milliseconds) }
        lastRefreshAt = account.lastRefreshAt.map(Timestamp.text)
        customAttributes = account.customAttributes
    }
}

extension UserInfo.Provider {
    init(_ identity: LinkedIdentity) {
        self.init(
            providerId: identity.providerID, rawId: identity.subject, federatedId: identity.subject, email: identity.email,
            displayName: identity.displayName, photoUrl: identity.photoURL, screenName: identity.screenName)
    }
}
