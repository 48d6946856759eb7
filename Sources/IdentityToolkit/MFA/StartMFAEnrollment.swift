import Accounts
import Captcha
import Crypto
import HTTP
import JSON
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `mfaEnrollment:start`: begins to enrol a second factor, and gives an authenticator app its secret.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/start>
struct StartMFAEnrollment: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaEnrollment:start")

    struct Input: Decodable {
        var idToken: UTF8Text?
        var phoneEnrollmentInfo: PhoneInfo?
        var totpEnrollmentInfo: JSON?
    }

    struct Output: Codable {
        var phoneSessionInfo: PhoneSessionInfo?
        var totpSessionInfo: TOTPSessionInfo?

        struct TOTPSessionInfo: Codable {
            /// Base32.
            var sharedSecretKey: String
            var verificationCodeLength: Int
            var hashingAlgorithm: String
            var periodSec: Int64
            var sessionInfo: String
            /// RFC 3339 with milliseconds.
            var finalizeEnrollmentTime: String
        }
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        if let info = input.phoneEnrollmentInfo { return Output(phoneSessionInfo: try await sendCode(info, idToken.asString, context)) }
        guard input.totpEnrollmentInfo?.object != nil else { throw Failure.missingPhoneEnrollmentInfo }
        let started = try await context.services.accounts.secondFactors.enrollments.startTOTP(
            forIDToken: idToken.asString, in: context.project.settings, from: context.clientInfo)
        return Output(
            totpSessionInfo: Output.TOTPSessionInfo(
                sharedSecretKey: Base32.encode(started.totp.secret), verificationCodeLength: started.totp.digits,
                hashingAlgorithm: started.totp.hash.rawValue, periodSec: started.totp.period, sessionInfo: started.session,
                finalizeEnrollmentTime: Timestamp.text(started.expires)))
    }

    private func sendCode(_ info: PhoneInfo, _ idToken: String, _ context: Context) async throws -> PhoneSessionInfo {
        guard let number = info.phoneNumber, !number.isEmpty else { throw Failure.missingPhoneNumber }
        let phones = context.services.accounts.secondFactors.phones
        return try await info.send(
            try await phones.enrollment(
                of: number, forIDToken: idToken, in: context.project.settings, from: context.clientInfo), for: .mfaSmsEnrollment, context)
    }
}
