import JSON
import Text
import Web

/// Fields of an account that only an administrator may set (SEC-14). Calls that create or change an account with an API key or an ID token
/// refuse them, so that no client believes that an ignored field was stored.
///
/// Two fields are not among them: `photoUrl`, which a sign-up ignores as Firebase does, and `disableUser`, which has a code of its own.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signUp>
struct PrivilegedFields: Decodable {
    var customAttributes: JSON?
    var disabled: JSON?
    var emailVerified: JSON?
    var phoneNumber: JSON?
    var validSince: JSON?
    var createdAt: JSON?
    var lastLoginAt: JSON?
    var mfa: JSON?
    var mfaInfo: JSON?
    var linkProviderUserInfo: JSON?

    func refuse() throws(Failure) {
        let given = [
            customAttributes, disabled, emailVerified, phoneNumber, validSince, createdAt, lastLoginAt, mfa, mfaInfo, linkProviderUserInfo,
        ]
        guard given.allSatisfy({ $0 == nil }) else { throw Failure.insufficientPermission }
    }
}
