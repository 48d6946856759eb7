import Accounts
import Identity
import Providers

/// What `signInWithIdp` answers: the provider's credential in any case, and a session unless there is a conflict.
///
/// JS tests for the mere presence of `needConfirmation` and `errorMessage`: they are absent unless they hold.
struct IDPOutput: Encodable {
    var kind = "identitytoolkit#VerifyAssertionResponse"
    var providerId: String
    var federatedId: String
    var localId: String?
    var isNewUser: Bool?
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var fullName: String?
    var firstName: String?
    var lastName: String?
    /// JS reads the handle here, iOS as `username`.
    var screenName: String?
    var username: String?
    var photoUrl: String?
    var language: String?
    /// A JSON object as a string: the SDKs' `additionalUserInfo.profile`.
    var rawUserInfo: String
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var oauthRefreshToken: String?
    /// Seconds.
    var oauthExpireIn: Int?
    var pendingToken: String
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    var emailRecycled: Bool?
    var errorMessage: String?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    var context = ""

    init(_ answer: ProviderResult, pendingToken: String) {
        let identity = answer.identity
        providerId = identity.providerID
        federatedId = identity.subject
        // In the spelling that lookup has.
        email = identity.email.flatMap(EmailAddress.canonical) ?? identity.email
        emailVerified = identity.email == nil ? nil : identity.emailVerified
        displayName = identity.displayName
        fullName = identity.displayName
        firstName = identity.firstName
        lastName = identity.lastName
        screenName = identity.screenName
        username = identity.screenName
        photoUrl = identity.photoURL
        language = identity.language
        rawUserInfo = identity.rawUserInfo
        oauthIdToken = answer.idToken
        oauthAccessToken = answer.accessToken
        oauthRefreshToken = answer.refreshToken
        oauthExpireIn = answer.expiresIn
        self.pendingToken = pendingToken
    }
}
