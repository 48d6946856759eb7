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
