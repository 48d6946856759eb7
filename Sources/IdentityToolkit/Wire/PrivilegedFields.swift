import JSON
import Text
import Web

/// What administrators alone may set of an account (SEC-14); calls that make or change one with no more than an API key or an ID token
/// refuse it, so that no client takes an ignored field for a kept one.
///
/// Not among them: `photoUrl`, which a sign-up ignores as Firebase does, and `disableUser`, which has a code of its own.
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
        guard given.allSatisfy({ $0 == nil }) else { throw Failure("INSUFFICIENT_PERMISSION") }
    }
}
