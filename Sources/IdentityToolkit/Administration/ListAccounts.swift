import Accounts
import Crypto
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:batchGet`: all accounts of the project, a page at a time, in the order of their ids.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet>
struct ListAccounts: RawAdministratorEndpoint {
    static let route = Route.administrator(.get, "/v1/projects/{project}/accounts:batchGet", right: .readUsers)
    static let answers = [
        CallContent.Answer.json(
            AccountsAnswer.shape(.init("kind", .text, isRequired: true), .init("nextPageToken", .text, isRequired: false)))
    ]

    struct Input: Decodable {
        var maxResults: Int?
        var nextPageToken: UTF8Text?
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Response {
        let most = try Self.size(input.maxResults)
        let accounts = try await context.services.accounts.administration.lists.page(
            after: try Self.start(input.nextPageToken), most: most, by: administrator)
        var json = JSONWriter(capacity: 128 + 1024 * accounts.count)
        json.object { json in
            json.field("kind", "identitytoolkit#DownloadAccountResponse")
            AccountsAnswer.users(accounts, in: administrator.project, to: &json)
            // The page after a full one may be empty, as at Google.
            if accounts.count == most, let last = accounts.last {
                json.field("nextPageToken", Base64URL.encode(Array(last.account.id.utf8)))
            }
        }
        return Response(json: json.bytes)
    }

    private static let usual = 20
    private static let largest = 1000

    private static func size(_ asked: Int?) throws(Failure) -> Int {
        guard let asked, asked != 0 else { return usual }
        guard asked > 0 else { throw .invalidArgument("maxResults must be 1 to \(largest).") }
        return min(asked, largest)
    }

    /// The last id of the page before.
    private static func start(_ token: UTF8Text?) throws(Failure) -> String? {
        guard let token, !token.isEmpty else { return nil }
        guard let bytes = Base64URL.decodeStrict(token.asString), let id = UTF8Text(validating: bytes), AccountID.isPossible(id) else {
            throw .invalidPageToken
        }
        return id.asString
    }
}
