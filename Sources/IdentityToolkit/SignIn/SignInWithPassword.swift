import Accounts
import HTTP
import Identity
import Migration
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:signInWithPassword`.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword>
struct SignInWithPassword: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithPassword", v3: "verifyPassword")

    struct Input: Decodable {
        var email: UTF8Text?
        var password: UTF8Text?
        /// The secret of a device on which a second factor was passed. Ours.
        var rememberedDeviceToken: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#VerifyPasswordResponse"
        var registered = true
        var localId: String
        var email: String
        var displayName: String?
        var profilePicture: String?
        var idToken: String?
        var refreshToken: String?
        var expiresIn: String?
        /// In place of tokens, when a second factor is due.
        var mfaPendingCredential: String?
        var mfaInfo: [MFAInfo]?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.signIn.password else { throw Failure.passwordLoginDisabled }
        guard let email = input.email else { throw Failure.missingEmail }
        let address = try EmailAddress.reading(email)
        guard let password = input.password, !password.isEmpty else { throw Failure.missingPassword }
        let (account, outcome) = try await context.services.firebaseBridge.passwords.signIn(
            email: address, password: password.asString, in: project,
            from: context.clientInfo.on(input.rememberedDeviceToken.flatMap(DeviceToken.init)))
        let end = try await SignInEnd(account, outcome, context)
        return Output(
            localId: account.id, email: address, displayName: account.displayName, profilePicture: account.photoURL,
            idToken: end.idToken, refreshToken: end.refreshToken, expiresIn: end.expiresIn,
            mfaPendingCredential: end.mfaPendingCredential, mfaInfo: end.mfaInfo)
    }
}
