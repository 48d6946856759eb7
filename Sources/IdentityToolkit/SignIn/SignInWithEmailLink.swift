import Accounts
import HTTP
import Identity
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:signInWithEmailLink`: exchanges the code of a sign-in mail for a session; with an ID token, adds the address to its account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithEmailLink>
struct SignInWithEmailLink: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithEmailLink", v3: "emailLinkSignin")

    struct Input: Decodable {
        var email: UTF8Text?
        var oobCode: UTF8Text?
        var idToken: UTF8Text?
        /// The secret of a device on which a second factor was passed. Ours.
        var rememberedDeviceToken: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#EmailLinkSigninResponse"
        var localId: String
        var email: String
        var isNewUser: Bool
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
        /// In place of tokens, when a second factor is due.
        var mfaPendingCredential: String?
        var mfaInfo: [MFAInfo]?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.signIn.emailLink else { throw Failure.operationNotAllowed() }
        guard let text = input.email, !text.isEmpty else { throw Failure.missingEmail }
        let email = try EmailAddress.reading(text)
        guard let code = input.oobCode, !code.isEmpty else { throw Failure.missingActionCode }
        let idToken = input.idToken.flatMap { $0.isEmpty ? nil : $0.asString }
        let signIn = try await context.services.accounts.signIn.emailLinks.signIn(
            withLink: code.asString, email: email, linkingTo: idToken, language: try context.language, in: project,
            from: context.clientInfo.on(input.rememberedDeviceToken.flatMap(DeviceToken.init)))
        let end = try await SignInEnd(signIn.account, signIn.outcome, context)
        return Output(
            localId: signIn.account.id, email: email, isNewUser: signIn.isNewUser, idToken: end.idToken, refreshToken: end.refreshToken,
            expiresIn: end.expiresIn, mfaPendingCredential: end.mfaPendingCredential, mfaInfo: end.mfaInfo)
    }
}
