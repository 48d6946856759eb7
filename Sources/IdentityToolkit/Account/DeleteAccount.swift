import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:delete`: the caller removes their own account, soon after signing in.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/delete>
struct DeleteAccount: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:delete", v3: "deleteAccount")

    struct Input: Decodable {
        var idToken: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#DeleteAccountResponse"
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        try await context.services.accounts.deletion.delete(
            forIDToken: idToken.asString, in: context.project.settings, from: context.clientInfo)
        return Output()
    }
}
