import Accounts
import Crypto
import HTTP
import JSON
import TestApp
import Testing
import Text

/// Calls of administrators, as an Admin SDK makes them.
extension TestApp {
    /// An access token of a new service account with these rights.
    func accessToken(_ rights: Set<Administrator.Right> = Administrator.Right.usual, of project: String = "demo") async throws -> String {
        try await BackEnd(self, project: project, name: "t" + Hex.encode(Random.bytes(8)), rights: rights).accessToken()
    }

    /// A call with an access token. `update` stands for `/v1/projects/demo/accounts:update`, and a GET has its query in the path.
    func administer(_ call: String, _ body: JSON? = nil, token: String?) async throws -> Answer {
        let address = (call.hasPrefix("/") ? call : "/v1/projects/demo/accounts\(call.isEmpty ? "" : ":")\(call)")
        let parts = address.split(separator: "?", maxSplits: 1)
        var request = Request(
            method: body == nil ? .get : .post, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "",
            headers: ["content-type": "application/json"], body: body?.bytes() ?? [])
        if let token { request.headers["authorization"] = UTF8Text("Bearer \(token)") }
        let response = await answer(request)
        return Answer(status: response.status, json: try JSON.parse(response.body, limits: JSON.Limits(bytes: 1 << 24)))
    }

    /// Makes an account, and returns its id.
    func create(by token: String, _ body: JSON) async throws -> String {
        let answer = try await administer("", body, token: token)
        #expect(answer.status == 200, "\(answer.error ?? "")")
        #expect(answer.json["kind"] == "identitytoolkit#SignupNewUserResponse")
        #expect(answer.json["idToken"] == nil && answer.json["refreshToken"] == nil)
        return answer.text("localId")
    }

    /// The account as an administrator sees it; `nil` when there is none.
    func user(by token: String, _ id: String) async throws -> JSON? {
        let answer = try await administer("lookup", ["localId": [.string(id)]], token: token)
        #expect(answer.status == 200 && answer.json["kind"] == "identitytoolkit#GetAccountInfoResponse")
        return answer.json["users"]?[0]
    }
}

/// A line of a table: what an administrator sends, and the beginning of the error.
struct AdministratorRefusal {
    static func check(_ call: String, _ table: [(JSON, String)], _ app: TestApp, token: String, status: Int = 400) async throws {
        for (body, error) in table {
            let answer = try await app.administer(call, body, token: token)
            #expect(answer.status == status, "\(body.text().prefix(80)) \(error)")
            #expect(answer.error?.hasPrefix(error) == true, "\(body.text().prefix(80)): \(answer.error ?? "no error")")
        }
    }
}
