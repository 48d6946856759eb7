import Accounts
import Text

/// A second factor of an account on the wire: an element of `mfaInfo`.
///
/// It has exactly one of the members that say its kind: SDKs fail at an entry of a kind that they do not know.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo#MfaEnrollment>
struct MFAInfo: Codable {
    var mfaEnrollmentId: String
    var displayName: String?
    /// RFC 3339 with milliseconds.
    var enrolledAt: String?
    var phoneInfo: String?
    var totpInfo: Empty?

    struct Empty: Codable {}

    /// Of a number, all digits but the last four are hidden.
    init?(_ factor: SecondFactors.Factor) {
        mfaEnrollmentId = factor.id
        displayName = factor.displayName
        enrolledAt = factor.enrolledAt
        switch factor.kind {
        case .phone: phoneInfo = factor.maskedNumber
        case .totp: totpInfo = Empty()
        case .other: return nil
        }
    }

    /// Those of the account that an SDK can show.
    static func list(of account: Account) -> [MFAInfo] { account.factors.answerable.compactMap(MFAInfo.init) }
}
