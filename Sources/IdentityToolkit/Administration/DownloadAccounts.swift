import Accounts
import HTTP
import Web

/// `downloadAccount`: the list of accounts at its v3 name, which the Firebase CLI asks with a body (`auth:export`).
struct DownloadAccounts: RawAdministratorEndpoint {
    static let route = Route(
        .post, "/identitytoolkit/v3/relyingparty/downloadAccount", access: .administrator(.readUsers), host: .www)
    static let answers = ListAccounts.answers

    func callAsFunction(_ input: ListAccounts.Input, by administrator: Administrator, _ context: Context) async throws -> Response {
        try await ListAccounts()(input, by: administrator, context)
    }
}
