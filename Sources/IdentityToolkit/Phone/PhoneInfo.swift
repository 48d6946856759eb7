import Accounts
import Captcha
import Projects
import Text
import Web

/// A phone in a call that sends a code to it, with the proof that an app asks: `accounts:sendVerificationCode`, `phoneEnrollmentInfo`,
/// `phoneSignInInfo`.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/StartMfaPhoneRequestInfo>
struct PhoneInfo: Decodable {
    var phoneNumber: UTF8Text?
    var recaptchaToken: UTF8Text?
    var captchaResponse: UTF8Text?
    var clientType: UTF8Text?
    var recaptchaVersion: UTF8Text?
    var iosReceipt: UTF8Text?
    var iosSecret: UTF8Text?
    var safetyNetToken: UTF8Text?
    var playIntegrityToken: UTF8Text?
    var autoRetrievalInfo: AutoRetrievalInfo?

    var proof: CaptchaProof {
        let foreign = [iosReceipt, iosSecret, safetyNetToken, playIntegrityToken].contains { $0?.isEmpty == false }
        return CaptchaProof(recaptchaToken: recaptchaToken, captchaResponse: captchaResponse, hasForeignProof: foreign)
    }

    /// Sends a code, which the client names by the answer.
    func send(_ request: PhoneFactors.Request, for action: CaptchaAction, _ context: Context) async throws -> PhoneSessionInfo {
        let (project, accounts) = (try context.project.settings, context.services.accounts)
        if !request.destination.isTest {
            try await accounts.phoneCodes.admit(context.clientInfo, in: project)
            try await context.checkCaptcha(proof, for: action)
        }
        return PhoneSessionInfo(
            sessionInfo: try await accounts.secondFactors.phones.send(
                request, language: try context.language,
                appSignatureHash: try autoRetrievalInfo?.appSignatureHash.flatMap(AppSignatureHash.reading), in: project,
                from: context.clientInfo))
    }
}

/// The text by which a client names a code that was sent to a phone.
struct PhoneSessionInfo: Codable {
    var sessionInfo: String
}

/// The digits of a text message.
struct PhoneVerificationInfo: Decodable {
    var sessionInfo: UTF8Text?
    var code: UTF8Text?

    /// Both texts. Throws for one that is missing.
    func parts() throws -> (session: UTF8Text, code: UTF8Text) {
        guard let session = sessionInfo, !session.isEmpty else { throw Failure.missingSessionInfo }
        guard let code, !code.isEmpty else { throw Failure.missingCode }
        return (session, code)
    }
}
