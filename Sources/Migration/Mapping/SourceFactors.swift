import Crypto
import JSON
package import Runtime
import Text

/// The second factors of one account, in the form of Firebase's `mfaInfo` (`SourceAccount.secondFactors`).
///
/// Where a source has the secret of one-time passwords, `totpInfo` has it with its parameters, by the names that Firebase gives them when such a
/// factor is enrolled; otherwise `totpInfo` is empty.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo#MfaEnrollment>
package struct SourceFactors: Sendable {
    /// The members that all factors have.
    package struct Enrollment: Sendable {
        let id: String
        let name: String?
        let at: Instant?

        package init(id: String, name: String? = nil, at: Instant? = nil) { (self.id, self.name, self.at) = (id, name, at) }
    }

    private var factors: [JSON] = []

    package init() {}

    package mutating func addPhone(_ number: String, _ enrollment: Enrollment) { add("phoneInfo", .string(number), enrollment) }

    /// A factor that the source has without what proves it. The account does not become one of a single factor.
    package mutating func addUnknown(_ enrollment: Enrollment) { add("totpInfo", [:], enrollment) }

    /// - Parameters:
    ///   - secret: the shared secret.
    ///   - hash: of the HMAC: `SHA1`, `SHA256` or `SHA512`.
    ///   - period: how long a password is valid, in seconds.
    package mutating func addTOTP(
        _ secret: [UInt8], hash: String = "SHA1", digits: Int64 = 6, period: Int64 = 30, _ enrollment: Enrollment
    ) {
        add(
            "totpInfo",
            [
                "sharedSecretKey": .string(Base32.encode(secret)), "hashingAlgorithm": .string(hash),
                "verificationCodeLength": .integer(digits), "periodSec": .integer(period),
            ], enrollment)
    }

    private mutating func add(_ member: String, _ value: JSON, _ enrollment: Enrollment) {
        var factor: JSON.Object = ["mfaEnrollmentId": .string(enrollment.id)]
        factor["displayName"] = enrollment.name.map { .string($0) }
        factor["enrolledAt"] = enrollment.at.map { .string(Timestamp.text($0)) }
        factor[UTF8Text(member)] = value
        factors.append(.object(factor))
    }

    /// `nil` where there is none.
    package var text: String? { factors.isEmpty ? nil : JSON.array(factors).text() }
}
