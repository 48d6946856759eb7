import Accounts
import Crypto
import JSON
import Postgres
import TestApp
import Testing
import Text

/// The calls by which Admin SDKs find, list and count accounts.
@Suite(.serialized) struct AdministratorListCallTests {
    @Test func `looks accounts up by each of their names, at each of the paths`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        _ = try await app.create(by: token, ["localId": "ada", "email": "ada@example.com", "phoneNumber": "+441234567890"])
        _ = try await app.administer(
            "update", ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "123"]], token: token)
        let asked: [JSON] = [
            ["localId": ["ada", "ada", "nobody"]], ["email": ["ADA@example.com", "x"]], ["phoneNumber": ["+441234567890", "x"]],
            ["federatedUserId": [["providerId": "google.com", "rawId": "123"]]],
            ["federatedUserId": [["providerId": "phone", "rawId": "+441234567890"]]],
            ["localId": ["ada"], "email": ["ada@example.com"], "phoneNumber": ["+441234567890"]],
        ]
        for body in asked {
            let found = try await app.administer("lookup", body, token: token)
            #expect(found.json["users"]?.array?.map { $0["localId"] } == ["ada"], "\(body.text())")
        }
        for path in ["/v1/accounts:lookup", "/identitytoolkit/v3/relyingparty/getAccountInfo"] {
            #expect(try await app.administer(path, asked[0], token: token).json["users"]?[0]?["localId"] == "ada")
        }
        for body in [[:], ["localId": ["nobody"]], ["initialEmail": ["ada@example.com"]], ["localId": ["a\u{0}b"]]] as [JSON] {
            let none = try await app.administer("lookup", body, token: token)
            #expect(none.status == 200 && none.json["users"] == nil)
        }
        let many = JSON.array((0...1000).map { .string("account \($0)") })
        try await AdministratorRefusal.check("lookup", [(["localId": many], "At most 1000 accounts")], app, token: token)
    }

    @Test func `lists pages until the last, by GET and by the CLI's POST`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        for number in 1...5 { _ = try await app.create(by: token, ["localId": .string("account \(number)")]) }
        var (seen, next): ([JSON?], String) = ([], "")
        repeat {
            let page = try await app.administer("batchGet?maxResults=2&nextPageToken=\(next)", token: token)
            #expect(page.json["kind"] == "identitytoolkit#DownloadAccountResponse")
            seen += page.json["users"]?.array?.map { $0["localId"] } ?? []
            next = page.text("nextPageToken")
        } while !next.isEmpty && seen.count < 10
        #expect(seen == (1...5).map { .string("account \($0)") })
        let posted = try await app.administer("/identitytoolkit/v3/relyingparty/downloadAccount", ["maxResults": 3], token: token)
        #expect(posted.json["users"]?.array?.count == 3)
        #expect(try await app.administer("batchGet?maxResults=5000", token: token).json["users"]?.array?.count == 5)
        for (query, error) in [("maxResults=-1", "maxResults must be"), ("nextPageToken=!", "INVALID_PAGE_SELECTION")] {
            #expect(try await app.administer("batchGet?\(query)", token: token).error?.hasPrefix(error) == true)
        }
    }

    @Test func `shows hashes to the right alone`() async throws {
        let app = try await TestApp.open()
        _ = try await app.signUp("ada@example.com")
        let all = try await app.accessToken(Set(Administrator.Right.allCases))
        let user = try #require(try await app.administer("batchGet", token: all).json["users"]?[0])
        #expect(user["passwordHash"] != "UkVEQUNURUQ=" && user["version"] == 0)
        #expect(Base64.decode(user["passwordHash"]?.string?.asString ?? "")?.count == 32)
        #expect(Base64.decode(user["salt"]?.string?.asString ?? "")?.count == 16)
        let usual = try #require(try await app.administer("batchGet", token: try await app.accessToken()).json["users"]?[0])
        #expect(usual["passwordHash"] == "UkVEQUNURUQ=" && usual["salt"] == nil && usual["version"] == nil)
    }

    @Test func `queries and counts`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        for (id, name) in [("a", "Zoe"), ("b", "Ada")] {
            _ = try await app.create(
                by: token, ["localId": .string(id), "displayName": .string(name), "email": .string("\(id)@example.com")])
        }
        let sorted = try await app.administer("query", ["sortBy": "NAME", "order": "DESC"], token: token)
        #expect(sorted.json["userInfo"]?.array?.map { $0["localId"] } == ["a", "b"] && sorted.text("recordsCount") == "2")
        let one = try await app.administer(
            "/v1/projects/demo:queryAccounts", ["expression": [["email": "B@example.com"]], "limit": 1, "offset": 0], token: token)
        #expect(one.json["userInfo"]?.array?.map { $0["localId"] } == ["b"])
        for nothing in [["sortBy": 0, "order": "0", "limit": 0], ["sortBy": "SORT_BY_FIELD_UNSPECIFIED", "order": "ORDER_UNSPECIFIED"]]
            as [JSON]
        {
            #expect(try await app.administer("query", nothing, token: token).json["userInfo"]?.array?.map { $0["localId"] } == ["a", "b"])
        }
        let count = try await app.administer("query", ["returnUserInfo": false, "expression": [["userId": "a"]]], token: token)
        #expect(count.json == ["recordsCount": "1"])
        try await AdministratorRefusal.check(
            "query", [(["limit": 501], "limit must be"), (["offset": -1], "offset must"), (["sortBy": "SHOE"], "Invalid JSON")], app,
            token: token)
    }
}
