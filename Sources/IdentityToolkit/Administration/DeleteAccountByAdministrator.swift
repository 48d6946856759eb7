import Accounts
import HTTP
import Projects
import Text
import Web

/// `accounts:delete` of administrators: removes any account of the project.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/delete>
struct DeleteAccountByAdministrator: AdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:delete", right: .manageUsers, client: DeleteAccount.route)

    struct Input: Decodable {
        var localId: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#DeleteAccountResponse"
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        let id = try AdministratorField.id(input.localId)
        try await context.services.accounts.deletion.delete(id, by: administrator)
        return Output()
    }
}
