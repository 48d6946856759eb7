import Accounts
import Identity
import Providers

/// The answer of `signInWithIdp`: always the provider's credential, and a session unless there is a conflict.
///
/// The JS SDK tests whether `needConfirmation` and `errorMessage` are present, so they are left out unless they are true.
struct IDPOutput: Codable {
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
    /// JS reads the user name here, iOS as `username`.
    var screenName: String?
    var username: String?
    var photoUrl: String?
    var language: String?
    /// A JSON object as a string: the SDKs' `additionalUserInfo.profile`.
    var rawUserInfo: String
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var oauthTokenSecret: String?
    var oauthRefreshToken: String?
    /// In seconds.
    var oauthExpireIn: Int?
    /// Absent when a pending token has signed in.
    var pendingToken: String?
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    var emailRecycled: Bool?
    var errorMessage: String?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    /// In place of tokens, when a second factor is due.
    var mfaPendingCredential: String?
    var mfaInfo: [MFAInfo]?
    var context = ""

    init(_ answer: ProviderResult, pendingToken: String?) {
        // As the account says it. What the provider wrote is in `rawUserInfo`.
        let identity = answer.identity.kept
        providerId = identity.providerID
        federatedId = identity.federatedID ?? identity.subject
        email = identity.email
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
        oauthTokenSecret = answer.accessTokenSecret
        oauthRefreshToken = answer.refreshToken
        oauthExpireIn = answer.expiresIn
        self.pendingToken = pendingToken
    }
}
