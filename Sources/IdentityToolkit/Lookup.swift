import Accounts
import HTTP
import Web

/// `accounts:lookup`: the caller's own account; SDKs call it after every sign-in and at start-up.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/lookup>
struct Lookup: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:lookup", v3: "getAccountInfo")

    struct Input: Decodable {
        var idToken: String?
    }

    struct Output: Encodable {
        var kind = "identitytoolkit#GetAccountInfoResponse"
        var users: [UserInfo]
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let (account, _) = try await context.services.accounts.account(forIDToken: idToken, in: context.project.settings)
        return Output(users: [UserInfo(account)])
    }
}
