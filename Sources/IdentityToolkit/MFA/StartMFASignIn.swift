import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web
import WebAuthn

/// `mfaSignIn:start`: has the server do its part of a second factor, for a sign-in that waits for one. An authenticator app needs no such part.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/start>
struct StartMFASignIn: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaSignIn:start")

    struct Input: Decodable {
        var mfaPendingCredential: UTF8Text?
        var mfaEnrollmentId: UTF8Text?
        /// Ours: asks for a passkey in place of a factor. Its content does not count.
        var passkeySignInInfo: JSON?
    }

    struct Output: Codable {
        var passkeyResponseInfo: PasskeyResponseInfo
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
        let waiting = try await context.services.accounts.secondFactors.signIns.pending.find(credential, in: context.project.settings)
        guard waiting.account.factors.factor(id.asString) != nil else { throw AccountError.secondFactor(.notFound) }
        throw Failure.unsupportedSecondFactor
    }
}
