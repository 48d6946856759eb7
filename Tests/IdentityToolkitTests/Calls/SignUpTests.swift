import JSON
import TestApp
import Testing
import Text

@Suite struct SignUpTests {
    @Test func `refuses in the order of the contract`() async throws {
        let app = try await TestApp.open()
        _ = try await app.signUp("taken@example.com")
        try await Refusal.check(
            "signUp",
            [
                Refusal(["localId": "x"], "UNEXPECTED_PARAMETER : User ID"),
                Refusal(["localId": "x", "disabled": true], "UNEXPECTED_PARAMETER : User ID"),
                Refusal(["emailVerified": true], "INSUFFICIENT_PERMISSION"),
                Refusal(["password": "correct horse"], "MISSING_EMAIL"),
                Refusal(["email": "", "password": ""], "INVALID_EMAIL"),
                Refusal(["email": "ada@example.com"], "MISSING_PASSWORD"),
                Refusal(["email": "ada@example.com", "password": ""], "MISSING_PASSWORD"),
                Refusal(["email": "ada", "password": "correct horse"], "INVALID_EMAIL"),
                Refusal(["email": "ada@example.com", "password": "short"], "WEAK_PASSWORD : Password should be at least 6 characters"),
                Refusal(["email": "taken@example.com", "password": "correct horse"], "EMAIL_EXISTS"),
                Refusal(["idToken": "x", "email": "ada@example.com", "password": "correct horse"], "INVALID_ID_TOKEN"),
                Refusal(["tenantId": "x"], "UNSUPPORTED_TENANT_OPERATION"),
            ], app)
    }

    @Test func `refuses what the project has not switched on`() async throws {
        let closed = try await TestApp()
        try await Refusal.check(
            "signUp",
            [
                Refusal([:], "ADMIN_ONLY_OPERATION"),
                Refusal(["email": "ada@example.com", "password": "correct horse"], "OPERATION_NOT_ALLOWED"),
            ], closed)
        let invited = try await TestApp(project: "signIn: {password: true, anonymous: true, signUp: false}\n")
        try await Refusal.check(
            "signUp",
            [
                Refusal([:], "ADMIN_ONLY_OPERATION"),
                Refusal(["email": "ada@example.com", "password": "correct horse"], "ADMIN_ONLY_OPERATION"),
            ], invited)
    }

    @Test func `makes an account, and upgrades an anonymous one`() async throws {
        let app = try await TestApp.open()
        let ada = try await app.signUp("Ada@Example.com")
        #expect(ada.text("email") == "ada@example.com")
        #expect(ada.text("expiresIn") == "3600")
        let guest = try await app.post("signUp", ["returnSecureToken": true])
        let upgraded = try await app.post(
            "signUp", ["idToken": .string(guest.text("idToken")), "email": "grace@example.com", "password": "correct horse"])
        #expect(!guest.text("localId").isEmpty)
        #expect(upgraded.text("localId") == guest.text("localId"))
        #expect(upgraded.text("email") == "grace@example.com")
    }
}
