import HTTP
import JSON
import TestApp
import Testing
import Text

/// `accounts:sendOobCode`, `accounts:resetPassword` and `accounts:signInWithEmailLink`.
@Suite struct ActionCodeCallTests {
    @Test func `refuses a request for a mail in the order of the contract`() async throws {
        let app = try await TestApp.open()
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        try await Refusal.check(
            "sendOobCode",
            [
                Refusal([:], "MISSING_REQ_TYPE"),
                Refusal(["requestType": "OOB_REQ_TYPE_UNSPECIFIED"], "MISSING_REQ_TYPE"),
                Refusal(["requestType": "PASSWORD_RESET", "returnOobLink": true], "INSUFFICIENT_PERMISSION"),
                Refusal(["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
                Refusal(["requestType": "PASSWORD_RESET", "email": "ada"], "INVALID_EMAIL"),
                Refusal(["requestType": "PASSWORD_RESET", "email": "a@example.com", "iOSAppStoreId": "1"], "MISSING_IOS_BUNDLE_ID"),
                Refusal(["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": "x"], "INVALID_CONTINUE_URI"),
                Refusal(
                    ["requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": "https://evil.example/"], "UNAUTHORIZED_DOMAIN"
                ),
                Refusal(["requestType": "VERIFY_EMAIL"], "INVALID_ID_TOKEN"),
                Refusal(["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token], "MISSING_NEW_EMAIL"),
                Refusal(["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "x"], "INVALID_NEW_EMAIL"),
                Refusal(["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "b@example.com"], "MISSING_ID_TOKEN"),
                Refusal(["requestType": "RECOVER_EMAIL", "email": "ada@example.com"], "OPERATION_NOT_ALLOWED"),
            ], app)
    }

    @Test(arguments: [
        ("https://app.example.com/?filter[a]=1", "https://app.example.com/?filter[a]=1"),
        ("https://app.example.com/|{x}?{y}#[z]", "https://app.example.com/|%7Bx%7D?{y}#[z]"),
        ("https://APP.example.com/é a", "https://app.example.com/%C3%A9%20a"),
    ])
    func `takes the address of a page as browsers do, and keeps it as they write it`(url: String, kept: String) async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let made = try await app.administer(
            "sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": .string(UTF8Text(url)), "returnOobLink": true],
            token: token)
        let link = try #require(URI.parse(made.text("oobLink")), "\(made.error ?? "")")
        #expect(Form(link.query ?? "")?["continueUrl"] == UTF8Text(kept))
        let asked = try await app.post(
            "createAuthUri", ["identifier": "ada@example.com", "continueUri": .string(UTF8Text(url))])
        #expect(asked.status == 200)
    }

    @Test func `answers the same for an address with and without an account`() async throws {
        let app = try await TestApp.open()
        _ = try await app.signUp("ada@example.com")
        var answers: [JSON] = []
        for email in ["ada@example.com", "grace@example.com"] as [UTF8Text] {
            let answer = try await app.post("sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(email)])
            #expect(answer.status == 200)
            #expect(answer.json["email"]?.string == email)
            var members = try #require(answer.json.object)
            members["email"] = nil
            answers.append(.object(members))
        }
        #expect(answers[0] == answers[1])
    }

    @Test func `refuses codes that it did not make`() async throws {
        let app = try await TestApp.open()
        try await Refusal.check(
            "resetPassword",
            [
                Refusal([:], "MISSING_OOB_CODE"), Refusal(["oobCode": "x"], "INVALID_OOB_CODE"),
                Refusal(["oobCode": "x", "newPassword": "correct horse"], "INVALID_OOB_CODE"),
                Refusal(["email": "ada@example.com", "oldPassword": "x", "newPassword": "y"], "OPERATION_NOT_ALLOWED"),
            ], app)
        try await Refusal.check(
            "signInWithEmailLink",
            [
                Refusal([:], "MISSING_EMAIL"), Refusal(["email": "ada@example.com"], "MISSING_OOB_CODE"),
                Refusal(["email": "ada@example.com", "oobCode": "x"], "INVALID_OOB_CODE"),
            ], app)
        try await Refusal.check("update", [Refusal(["oobCode": "x"], "INVALID_OOB_CODE")], app)
    }

    @Test func `refuses ways to sign in that are off`() async throws {
        let app = try await TestApp()
        try await Refusal.check(
            "sendOobCode",
            [
                Refusal(["requestType": "PASSWORD_RESET", "email": "ada@example.com"], "OPERATION_NOT_ALLOWED"),
                Refusal(["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"], "OPERATION_NOT_ALLOWED"),
            ], app)
        try await Refusal.check("signInWithEmailLink", [Refusal([:], "OPERATION_NOT_ALLOWED")], app)
    }
}
