import JSON
import TestApp
import Testing
import Text

@Suite struct SignInWithPasswordTests {
    @Test func `refuses in the order of the contract`() async throws {
        let app = try await TestApp.open()
        _ = try await app.signUp("ada@example.com")
        try await Refusal.check(
            "signInWithPassword",
            [
                Refusal([:], "MISSING_EMAIL"),
                Refusal(["email": ""], "INVALID_EMAIL"),
                Refusal(["email": "ada"], "INVALID_EMAIL"),
                Refusal(["email": "ada@example.com"], "MISSING_PASSWORD"),
                Refusal(["email": "ada@example.com", "password": "battery staple"], "INVALID_LOGIN_CREDENTIALS"),
                Refusal(["email": "grace@example.com", "password": "correct horse"], "INVALID_LOGIN_CREDENTIALS"),
                Refusal(["email": 7, "password": "correct horse"], "Invalid JSON payload received."),
            ], app)
    }

    @Test func `is off until it is switched on`() async throws {
        let app = try await TestApp()
        try await Refusal.check("signInWithPassword", [Refusal([:], "PASSWORD_LOGIN_DISABLED")], app)
    }

    @Test func `tells which was wrong where addresses are not protected`() async throws {
        let app = try await TestApp(project: "signIn: {password: true}\nemailEnumerationProtection: false\n")
        _ = try await app.signUp("ada@example.com")
        try await Refusal.check(
            "signInWithPassword",
            [
                Refusal(["email": "ada@example.com", "password": "battery staple"], "INVALID_PASSWORD"),
                Refusal(["email": "grace@example.com", "password": "correct horse"], "EMAIL_NOT_FOUND"),
            ], app)
    }

    @Test func `takes two round trips to the database`() async throws {
        let app = try await TestApp.open()
        let made = try await app.signUp("ada@example.com")
        let count = try await app.roundTrips {
            let answer = try await app.post("signInWithPassword", ["email": "Ada@example.com", "password": "correct horse"])
            #expect(answer.text("localId") == made.text("localId"))
        }
        #expect(count == 2)
    }
}
