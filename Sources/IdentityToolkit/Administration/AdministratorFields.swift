import Accounts
import Identity
import JSON
import ProjectSettings
import Runtime
import Text
import Web

/// Fields of administrators' calls, checked and converted for the rules.
enum AdministratorField {
    /// The id of an account that is there. Throws `MISSING_LOCAL_ID`.
    static func id(_ text: UTF8Text?) throws -> String {
        guard let text, !text.isEmpty else { throw Failure.missingLocalID }
        // No account has it, and the database could not even be asked.
        guard AccountID.isPossible(text) else { throw AccountError.accountNotFound }
        return text.asString
    }

    /// The ids of accounts that could be there.
    static func ids(_ texts: [UTF8Text]?) -> [String] { (texts ?? []).filter(AccountID.isPossible).map(\.asString) }

    /// The id that an administrator chose for a new account; `nil` when the server is to choose.
    static func newID(_ text: UTF8Text?) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard AccountID.isPossible(text) else {
            throw .invalidArgument("localId must have at most \(AccountID.longest) characters, and no control characters.")
        }
        return text.asString
    }

    /// The addresses that accounts could have, in the form in which they are stored.
    static func emails(_ texts: [UTF8Text]?) -> [String] { (texts ?? []).compactMap { EmailAddress.canonical($0.asString) } }

    /// The phone numbers that accounts could have.
    static func phoneNumbers(_ texts: [UTF8Text]?) -> [String] { (texts ?? []).filter(PhoneNumber.isE164).map(\.asString) }

    /// A phone number; empty for none. Throws `INVALID_PHONE_NUMBER`.
    static func phoneNumber(_ text: UTF8Text?) throws(Failure) -> FieldUpdate<String> {
        guard let text else { return .keep }
        guard !text.isEmpty else { return .clear }
        guard PhoneNumber.isE164(text) else { throw .invalidPhoneNumber }
        return .set(text.asString)
    }

    /// A time in milliseconds since 1970.
    static func time(milliseconds: Int64?, _ name: String) throws(Failure) -> Instant? {
        guard let milliseconds else { return nil }
        guard (0..<latest * 1000).contains(milliseconds) else { throw .invalidArgument("\(name) is not a time.") }
        return Instant(microseconds: milliseconds * 1000)
    }

    /// A time in seconds since 1970.
    static func time(seconds: Int64?, _ name: String) throws(Failure) -> Instant? {
        guard let seconds else { return nil }
        guard (0..<latest).contains(seconds) else { throw .invalidArgument("\(name) is not a time.") }
        return Instant(seconds: seconds)
    }

    /// The year 10000, in seconds.
    private static let latest: Int64 = 253_402_300_800

    /// A second factor as `mfaInfo` and `mfa.enrollments` state it: a phone number, or the id alone of one that the account keeps.
    struct Factor: Decodable {
        var mfaEnrollmentId: UTF8Text?
        var phoneInfo: UTF8Text?
        var displayName: UTF8Text?
        /// RFC 3339.
        var enrolledAt: UTF8Text?
    }

    /// Throws `INVALID_MFA_PHONE_NUMBER` and `INVALID_MFA_ENROLLMENT_ID`.
    static func factors(_ list: [Factor]) throws(Failure) -> [StatedFactor] {
        var stated: [StatedFactor] = []
        for factor in list {
            if let number = factor.phoneInfo, !PhoneNumber.isE164(number) { throw .invalidFactorPhoneNumber }
            let id = factor.mfaEnrollmentId
            guard factor.phoneInfo != nil || id?.isEmpty == false else { throw .invalidFactorPhoneNumber }
            if let id, !ProfileText.isFit(id.asString, most: AccountID.longest) { throw .invalidFactorID }
            let time = factor.enrolledAt.map { SecondFactors.Factor.inMilliseconds($0.asString) }
            guard time == nil || time != .some(nil) else { throw .invalidArgument("enrolledAt is not a time.") }
            stated.append(
                StatedFactor(
                    id: id?.asString, phoneNumber: factor.phoneInfo?.asString, displayName: try ProfileField.name(factor.displayName),
                    enrolledAt: time ?? nil))
        }
        return stated
    }
}

/// Answers that list accounts.
enum AccountsAnswer {
    /// The shape of an answer with accounts and these other members.
    static func shape(_ others: JSONShape.Member..., as name: String = "users") -> JSONShape {
        .object(others + [.init(name, .list(UserInfo.administratorsShape), isRequired: false)])
    }

    static func users(_ accounts: [ListedAccount], in project: ProjectSettings, to json: inout JSONWriter, as name: String = "users") {
        // Admin SDKs take an empty list and none for the same; other clients ask whether there is one.
        guard !accounts.isEmpty else { return }
        json.array(name) { json in
            for listed in accounts {
                UserInfo(account: listed.account, tenantID: project.tenant?.id, view: .administrator(listed.passwordHash)).write(to: &json)
            }
        }
    }
}
