import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `mfaSignIn:finalize`: ends a sign-in that waits for a second factor.
///
/// Besides Firebase's fields it takes `authenticatorAuthenticationResponse` and `recoveryCodeVerificationInfo`; a recovery code also counts in the place of an authenticator app's.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/finalize>
struct FinalizeMFASignIn: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaSignIn:finalize")

    struct Input: Decodable {
        var mfaPendingCredential: UTF8Text?
        var mfaEnrollmentId: UTF8Text?
        var phoneVerificationInfo: PhoneVerificationInfo?
        var totpVerificationInfo: TOTPVerificationInfo?
        var recoveryCodeVerificationInfo: RecoveryCodeVerificationInfo?
        /// Whether this device is to need no second factor for a while. Ours.
        var rememberDevice: Bool?
        /// The browser's answer to the options of a start with `passkeySignInInfo`.
        var authenticatorAuthenticationResponse: JSON?
    }

    struct TOTPVerificationInfo: Decodable { var verificationCode: UTF8Text? }

    struct RecoveryCodeVerificationInfo: Decodable { var recoveryCode: UTF8Text? }

    struct Output: Codable {
        var idToken: String
        var refreshToken: String
        var expiresIn: String
        /// To be shown with the next first proof on this device; absent where the project remembers none.
        var rememberedDeviceToken: String?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let text = input.mfaPendingCredential, !text.isEmpty else { throw Failure.missingCredential }
        guard let credential = PendingCredential(text) else { throw AccountError.secondFactor(.pendingUnknown) }
        let remembers = try input.rememberDevice == true && context.project.settings.multiFactor.rememberDevice != nil
        let device = remembers ? DeviceToken.random() : nil
        let (account, outcome) = try await signIn(credential, input, context.clientInfo.on(device), context)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(
            idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn, rememberedDeviceToken: device?.text)
    }

    private func signIn(
        _ credential: PendingCredential, _ input: Input, _ client: Session.ClientInfo, _ context: Context
    ) async throws -> (Account, SignInOutcome) {
        let (signIns, project) = (context.services.accounts.secondFactors.signIns, try context.project.settings)
        let language = try context.language
        if let info = input.phoneVerificationInfo {
            let (session, code) = try info.parts()
            return try await context.services.accounts.secondFactors.phones.signIn(
                credential, session: session, code: code, language: language, in: project, from: client)
        }
        if let info = input.totpVerificationInfo {
            guard let id = input.mfaEnrollmentId, !id.isEmpty else { throw Failure.missingEnrollmentID }
            guard let code = info.verificationCode, !code.isEmpty else { throw Failure.missingCode }
            return try await signIns.signIn(credential, code: code, of: id, language: language, in: project, from: client)
        }
        if let info = input.recoveryCodeVerificationInfo {
            guard let code = info.recoveryCode, !code.isEmpty else { throw Failure.missingCode }
            return try await signIns.signIn(credential, recoveryCode: code, language: language, in: project, from: client)
        }
        if let response = input.authenticatorAuthenticationResponse, !response.isNull {
            return try await context.services.accounts.passkeys.secondFactors.signIn(
                credential, response, language: language, in: project, from: client)
        }
        throw Failure.unsupportedSecondFactor
    }
}
