import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `mfaEnrollment:finalize`: enrols the second factor that the person has proven.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/finalize>
struct FinalizeMFAEnrollment: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaEnrollment:finalize")

    struct Input: Decodable {
        var idToken: UTF8Text?
        var displayName: UTF8Text?
        var phoneVerificationInfo: PhoneVerificationInfo?
        var totpVerificationInfo: TOTPVerificationInfo?
    }

    struct TOTPVerificationInfo: Decodable {
        var sessionInfo: UTF8Text?
        var verificationCode: UTF8Text?
    }

    /// Tokens of a new session; SDKs replace theirs.
    struct Output: Codable {
        var idToken: String
        var refreshToken: String
        var expiresIn: String
        var totpAuthInfo: MFAInfo.Empty?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        if let info = input.phoneVerificationInfo { return try await enrol(info, idToken.asString, input, context) }
        guard let info = input.totpVerificationInfo else { throw Failure.missingPhoneVerificationInfo }
        guard let session = info.sessionInfo, !session.isEmpty else { throw Failure.missingSessionInfo }
        guard let code = info.verificationCode, !code.isEmpty else { throw Failure.missingCode }
        let (account, outcome) = try await context.services.accounts.secondFactors.enrollments.finishTOTP(
            forIDToken: idToken.asString, session: session, code: code, name: try ProfileField.name(input.displayName),
            language: try context.language, in: context.project.settings, from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(
            idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn, totpAuthInfo: MFAInfo.Empty())
    }

    private func enrol(
        _ info: PhoneVerificationInfo, _ idToken: String, _ input: Input, _ context: Context
    ) async throws -> Output {
        let (session, code) = try info.parts()
        let (account, outcome) = try await context.services.accounts.secondFactors.phones.enrol(
            forIDToken: idToken, session: session, code: code, name: try ProfileField.name(input.displayName),
            language: try context.language, in: context.project.settings, from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn)
    }
}
