import Accounts
import Captcha
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web
import WebAuthn

/// `mfaSignIn:start`: sends a code to the phone that is a second factor, for a sign-in that waits for one. An authenticator app needs no such call.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/start>
struct StartMFASignIn: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaSignIn:start")

    struct Input: Decodable {
        var mfaPendingCredential: UTF8Text?
        var mfaEnrollmentId: UTF8Text?
        /// The proof that an app asks. SDKs may put the hidden form of the number into it, which does not count.
        var phoneSignInInfo: PhoneInfo?
        /// Ours: asks for a passkey in place of a factor. Its content does not count.
        var passkeySignInInfo: JSON?
    }

    struct Output: Codable {
        var phoneResponseInfo: PhoneSessionInfo?
        var passkeyResponseInfo: PasskeyResponseInfo?
    }

    /// Ours.
    struct PasskeyResponseInfo: Codable {
        var credentialRequestOptions: JSON
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let text = input.mfaPendingCredential, !text.isEmpty else { throw Failure.missingPendingCredential }
        if let info = input.passkeySignInInfo, !info.isNull {
            guard let credential = PendingCredential(text) else { throw AccountError.secondFactor(.pendingUnknown) }
            let options = try await context.services.accounts.passkeys.secondFactors.start(credential, in: context.project.settings)
            return Output(passkeyResponseInfo: PasskeyResponseInfo(credentialRequestOptions: options.json))
        }
        guard let id = input.mfaEnrollmentId, !id.isEmpty else { throw Failure.missingEnrollmentID }
        guard let credential = PendingCredential(text) else { throw AccountError.secondFactor(.pendingUnknown) }
        let request = try await context.services.accounts.secondFactors.phones.signIn(credential, by: id, in: context.project.settings)
        return Output(
            phoneResponseInfo: try await (input.phoneSignInInfo ?? PhoneInfo()).send(
                request, for: .mfaSmsSignIn, context))
    }
}
