import Accounts
import HTTP
import JOSE
import JSON
import Postgres
import TestApp
import Testing
import Text

/// `createSessionCookie`, and the key sets by which back ends verify what it answers.
@Suite struct SessionCookieCallTests {
    private static let path = "/v1/projects/demo:createSessionCookie"

    @Test func `refuses in the order of the contract`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let token = try await backEnd.accessToken()
        let person = try await app.signUp("ada@example.com")
        let table: [(JSON, String)] = [
            ([:], "MISSING_ID_TOKEN"), (["idToken": ""], "MISSING_ID_TOKEN"), (["validDuration": 1], "MISSING_ID_TOKEN"),
            (["idToken": "x", "validDuration": 299], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": 1_209_601], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": "0"], "INVALID_DURATION"), (["idToken": "x", "validDuration": -300], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": 9_223_372_036_854_775_807], "INVALID_DURATION"),
            (["idToken": "x", "validDuration": "day"], "Invalid JSON payload received."), (["idToken": "x"], "INVALID_ID_TOKEN"),
            (["idToken": .string(person.text("refreshToken"))], "INVALID_ID_TOKEN"),
            (["idToken": .string(person.text("idToken")), "tenantId": "t"], "UNSUPPORTED_TENANT_OPERATION"),
            (["idToken": .string(person.text("idToken")), "targetProjectId": "other"], "targetProjectId is not the project of the path."),
        ]
        for (body, error) in table {
            let answer = try await backEnd.call(.post, Self.path, body, token: token)
            #expect(answer.status == 400, "\(body.text().prefix(80))")
            #expect(answer.error?.hasPrefix(error) == true, "\(body.text().prefix(80)): \(answer.error ?? "none")")
        }
    }

    @Test func `answers a cookie that the published keys verify, in all their forms`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let token = try await backEnd.accessToken()
        let idToken = try await app.signUp("ada@example.com").json["idToken"] ?? .null
        for (duration, seconds) in [(nil, 1_209_600), (300, 300), ("86400", 86400), (1_209_600, 1_209_600)] as [(JSON?, Int64)] {
            var body: JSON.Object = ["idToken": idToken]
            body["validDuration"] = duration
            let answer = try await backEnd.call(.post, Self.path, .object(body), token: token)
            let cookie = try UnverifiedJWT.parse(answer.text("sessionCookie"), as: .ownIDToken)
            #expect(cookie.header["alg"] == "RS256")
            let times = ["iat", "exp"].compactMap { cookie.claims[UTF8Text($0)]?.integer }
            #expect(times.count == 2 && times[1] - times[0] == seconds)

            let set = await app.answer(Request(method: .get, path: "/v1/sessionCookiePublicKeys"))
            #expect(set.headers["cache-control"] == "public, max-age=3600")
            _ = try cookie.verified(with: JWKSet(try JSON.parse(set.body)), algorithms: [.rs256])
            for prefix in ["", "/www.googleapis.com"] {
                let path = "\(prefix)/identitytoolkit/v3/relyingparty/publicKeys"
                let certificates = await app.answer(Request(method: .get, path: path))
                #expect(certificates.headers["cache-control"]?.asString.contains("max-age=3600") == true)
                let pem = try JSON.parse(certificates.body)[cookie.kid ?? ""]?.string?.asString
                #expect(pem?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
            }
            let ofIDTokens = await app.answer(
                Request(method: .get, path: "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"))
            #expect(try JSON.parse(ofIDTokens.body)[cookie.kid ?? ""] == nil)
        }
        let events: Int = try await app.database.query(
            "SELECT count(*) FROM audit_events WHERE action = 'sessionCookie.created' AND actor = \(backEnd.email)")[0].value()
        #expect(events == 4)
    }

    @Test func `is worth no more than the session, and no call takes a cookie for an ID token`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let token = try await backEnd.accessToken()
        let person = try await app.signUp("ada@example.com")
        let idToken = person.json["idToken"] ?? .null
        let cookie = try await backEnd.call(.post, Self.path, ["idToken": idToken], token: token).json["sessionCookie"] ?? .null
        for call in ["lookup", "delete"] { #expect(try await app.post(call, ["idToken": cookie]).error == "INVALID_ID_TOKEN") }
        #expect(try await backEnd.call(.post, Self.path, ["idToken": cookie], token: token).error == "INVALID_ID_TOKEN")

        _ = try await app.database.write("UPDATE sessions SET ended_at = now(), end_reason = 'test'")
        #expect(try await backEnd.call(.post, Self.path, ["idToken": idToken], token: token).error == "TOKEN_EXPIRED")
        let other = try await app.signUp("grace@example.com")
        _ = try await app.database.write("UPDATE accounts SET disabled = true WHERE email = 'grace@example.com'")
        let disabled = try await backEnd.call(.post, Self.path, ["idToken": other.json["idToken"] ?? .null], token: token)
        #expect(disabled.error == "USER_DISABLED")
        _ = try await app.database.write("DELETE FROM accounts")
        #expect(try await backEnd.call(.post, Self.path, ["idToken": idToken], token: token).error == "USER_NOT_FOUND")
    }

    @Test func `takes no ID token of another project`() async throws {
        let app = try await TestApp.open()
        let person = try await app.signUp("ada@example.com")
        let backEnd = try await BackEnd(app, project: "other")
        let answer = try await backEnd.call(
            .post, "/v1/projects/other:createSessionCookie", ["idToken": person.json["idToken"] ?? .null],
            token: try await backEnd.accessToken())
        #expect(answer.error == "INVALID_ID_TOKEN")
    }
}
