import Accounts
import HTTP
import Runtime
import Web

/// `accounts:delete`: the caller removes their own account, soon after signing in.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/delete>
struct DeleteAccount: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:delete", v3: "deleteAccount")
    /// How fresh a sign-in must be for what cannot be undone.
    private static let recentLogin: Duration = .seconds(300)

    struct Input: Decodable {
        var idToken: String?
    }

    struct Output: Encodable {
        var kind = "identitytoolkit#DeleteAccountResponse"
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let project = try context.project.settings
        let (account, token) = try await context.services.accounts.account(forIDToken: idToken, in: project)
        guard token.authTime + Self.recentLogin > context.services.clock.now() else { throw Failure("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") }
        try await context.services.accounts.delete(account.id, in: project)
        return Output()
    }
}
