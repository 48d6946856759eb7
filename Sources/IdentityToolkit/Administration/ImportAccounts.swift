import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:batchCreate`: would make many accounts, with hashes of passwords that another server made. Refused: the server imports none.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate>
struct ImportAccounts: RawAdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:batchCreate", right: .manageUsers, v3: "uploadAccount")
    /// It never succeeds.
    static let answers: [CallContent.Answer] = []

    func callAsFunction(_ input: NoInput, by administrator: Administrator, _ context: Context) async throws -> Response {
        throw Failure.operationNotAllowed("Accounts cannot be imported. Make them one by one.")
    }
}
