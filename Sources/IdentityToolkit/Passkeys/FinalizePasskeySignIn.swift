import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Web

/// `accounts/passkeySignIn:finalize`: signs in the account of the passkey that the browser or phone has used.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.passkeySignIn>
struct FinalizePasskeySignIn: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/passkeySignIn:finalize")

    struct Input: Decodable {
        /// The browser's answer, with its bytes in base64 of any dialect.
        var authenticatorAuthenticationResponse: JSON?
    }

    /// Always with both tokens. SDKs cannot take another step here, so an account that needs one is refused.
    struct Output: Codable {
        var localId: String
        var idToken: String
        var refreshToken: String
        var expiresIn: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let (account, outcome) = try await context.services.accounts.signIn.passkeys.finalize(
            input.authenticatorAuthenticationResponse, language: try context.language, in: context.project.settings,
            from: context.clientInfo)
        guard case .session(let session) = outcome else { throw Failure.passkeyIsOneFactor }
        let tokens = try IssuedTokens(account, session, context)
        return Output(
            localId: account.id, idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn)
    }
}
