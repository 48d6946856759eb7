import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web
import WebAuthn

/// `accounts/passkeyEnrollment:start`: the options with which the caller's browser or phone makes a passkey for their account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.passkeyEnrollment>
struct StartPasskeyEnrollment: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/passkeyEnrollment:start")

    struct Input: Decodable {
        var idToken: UTF8Text?
        /// Ours: whether the browser is to make it without asking the person, who has just signed in with a password.
        var conditional: Bool?
    }

    struct Output: Codable {
        var credentialCreationOptions: JSON
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.passkeys != nil else { throw Failure.passkeysNotEnabled }
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let options = try await context.services.accounts.passkeys.registrations.start(
            idToken.asString, conditional: input.conditional ?? false, in: project, from: context.clientInfo)
        return Output(credentialCreationOptions: options.json)
    }
}
