import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:signInWithCustomToken`: for people whom the project's own back end has identified, and for those who have signed in at the
/// project's hosted page.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithCustomToken>
struct SignInWithCustomToken: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signInWithCustomToken", v3: "verifyCustomToken")

    struct Input: Decodable {
        var token: UTF8Text?
    }

    /// Without `localId`, since SDKs read it from the ID token.
    struct Output: Codable {
        var kind = "identitytoolkit#VerifyCustomTokenResponse"
        var idToken: String
        var refreshToken: String
        var expiresIn: String
        var isNewUser: Bool
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let token = input.token, !token.isEmpty else { throw Failure.missingCustomToken }
        if let token = AppToken(token) { return try await signIn(with: token, context) }
        let context = try await context.inRealm(ofCustomToken: token)
        let (account, outcome, isNewUser) = try await context.services.accounts.signIn.customTokens.signIn(
            customToken: token, acceptsUnsigned: context.isOfDevelopment, in: context.project.settings, from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(
            idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn, isNewUser: isNewUser)
    }

    private func signIn(with token: AppToken, _ context: Context) async throws -> Output {
        let (account, outcome) = try await context.services.accounts.openID.requests.signIn(
            with: token, in: context.project.settings, from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn, isNewUser: false)
    }
}
