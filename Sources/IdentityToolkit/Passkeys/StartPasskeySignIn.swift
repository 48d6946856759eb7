import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Web
import WebAuthn

/// `accounts/passkeySignIn:start`: the options with which a browser or phone asks for any passkey of the project. They name no account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.passkeySignIn>
struct StartPasskeySignIn: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/passkeySignIn:start")

    struct Input: Decodable {}

    struct Output: Codable {
        var credentialRequestOptions: JSON
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let options = try await context.services.accounts.signIn.passkeys.start(in: context.project.settings, from: context.clientInfo)
        return Output(credentialRequestOptions: options.json)
    }
}
