import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:lookup`: the caller's own account; SDKs call it after every sign-in and at start-up.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/lookup>
///
/// This is the most frequent call of all, so it reads and writes its JSON itself.
struct Lookup: RawEndpoint {
    static let route = Route.client(.post, "/v1/accounts:lookup", v3: "getAccountInfo")
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(
        body: .json(.texts(optional: ["idToken", "tenantId"])),
        answers: [
            .json(.object([.init("kind", .text, isRequired: true), .init("users", .list(UserInfo.shape), isRequired: true)]))
        ])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let body = try JSONBody.object(of: request)
        let context = try await context.inRealm(of: body)
        guard let idToken = try JSONBody.text("idToken", or: "id_token", in: body), !idToken.isEmpty else { throw Failure.missingIDToken }
        let project = try context.project.settings
        let (account, _) = try await context.services.accounts.idTokens.account(of: idToken.asString, in: project)
        return Response(json: Self.answer([account], showsNoFactors: project.multiFactor.allowsEnrollment, in: project))
    }

    static func answer(_ accounts: [Account], showsNoFactors: Bool = false, in project: ProjectSettings) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.field("kind", "identitytoolkit#GetAccountInfoResponse")
            json.array("users") { json in
                for account in accounts {
                    UserInfo(account: account, tenantID: project.tenant?.id, showsNoFactors: showsNoFactors).write(to: &json)
                }
            }
        }
        return json.bytes
    }
}
