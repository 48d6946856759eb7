import Crypto
import HTTP
import JSON
import TestApp
import Testing
import Text

/// `/v1/token` and `accounts:lookup`: what every client calls most.
@Suite struct TokenTests {
    @Test func `refuses a grant in the order of the contract`() async throws {
        let app = try await TestApp.open()
        try await Refusal.check(
            "/v1/token",
            [
                Refusal([:], "MISSING_GRANT_TYPE"),
                Refusal(["grantType": "password"], "INVALID_GRANT_TYPE"),
                Refusal(["grantType": "refresh_token"], "MISSING_REFRESH_TOKEN"),
                Refusal(["grantType": "refresh_token", "refreshToken": "x"], "INVALID_REFRESH_TOKEN"),
                Refusal(["grantType": "refresh_token", "grant_type": "refresh_token"], "Invalid JSON payload received."),
            ], app)
    }

    @Test func `refreshes in one round trip to the database, and looks up in one`() async throws {
        let app = try await TestApp.open()
        let made = try await app.signUp("ada@example.com")
        let refreshing = try await app.roundTrips {
            let answer = try await app.post(
                "/v1/token", ["grantType": "refresh_token", "refreshToken": .string(made.text("refreshToken"))])
            #expect(answer.text("user_id") == made.text("localId"))
            #expect(answer.text("refresh_token") != made.text("refreshToken"))
        }
        #expect(refreshing == 1)
        let lookingUp = try await app.roundTrips {
            let answer = try await app.post("lookup", ["idToken": .string(made.text("idToken"))])
            #expect(answer.json["users"]?[0]?["email"]?.string == "ada@example.com")
        }
        #expect(lookingUp == 1)
    }

    @Test func `a token that no key of this server made is one of a session that is over`() async throws {
        let app = try await TestApp.open()
        let foreign = Base64URL.encode([1] + [UInt8](repeating: 7, count: 64))
        for (token, error) in [
            (foreign, "TOKEN_EXPIRED"), (foreign + "A", "INVALID_REFRESH_TOKEN"), (String(foreign.dropLast(4)), "INVALID_REFRESH_TOKEN"),
            (Base64URL.encode([2] + [UInt8](repeating: 7, count: 64)), "INVALID_REFRESH_TOKEN"), ("AMf-vBx7", "INVALID_REFRESH_TOKEN"),
        ] {
            let answer = try await app.post("/v1/token", ["grantType": "refresh_token", "refreshToken": .string(UTF8Text(token))])
            #expect(answer.error == error, "\(token)")
        }
    }

    @Test func `refuses a body with a content coding, in the form of the call`() async throws {
        let app = try await TestApp.open()
        for (path, coding, type) in [
            ("/v1/token", "gzip", "application/json; charset=utf-8"), ("/v1/accounts:signUp", "br", "application/json; charset=utf-8"),
        ] {
            let refused = await app.answer(
                Request(method: .post, path: path, query: "key=key", headers: ["content-encoding": coding], body: [0x1F, 0x8B]))
            #expect(refused.status == 415 && refused.headers["accept-encoding"] == "identity")
            #expect(refused.headers["content-type"] == UTF8Text(type))
        }
        let plain = await app.answer(
            Request(
                method: .post, path: "/v1/accounts:signUp", query: "key=key", headers: ["content-encoding": "Identity"],
                body: Array("{}".utf8)))
        #expect(plain.status == 200)
    }

    @Test func `reads a form in either spelling, but not in both`() async throws {
        let app = try await TestApp.open()
        let token = try await app.signUp("ada@example.com").text("refreshToken")
        func refresh(_ form: String) async -> Int {
            await app.answer(
                Request(
                    method: .post, path: "/v1/token", query: "key=key", headers: ["content-type": "application/x-www-form-urlencoded"],
                    body: Array(form.utf8))
            ).status
        }
        #expect(await refresh("grant_type=refresh_token&refresh_token=\(token)") == 200)
        #expect(await refresh("grant_type=refresh_token&grantType=refresh_token&refresh_token=\(token)") == 400)
    }

    @Test func `refuses a lookup without a token of this project`() async throws {
        let app = try await TestApp.open()
        try await Refusal.check(
            "lookup",
            [
                Refusal([:], "MISSING_ID_TOKEN"), Refusal(["idToken": ""], "MISSING_ID_TOKEN"),
                Refusal(["idToken": "x"], "INVALID_ID_TOKEN"),
            ],
            app)
    }
}
