import Accounts
import JSON
import TestApp
import Testing
import Text

/// `accounts:sendOobCode` of administrators.
@Suite(.serialized) struct AdministratorLinkCallTests {
    @Test func `makes links for the right alone, and mails without returnOobLink`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let person = try await app.signUp("ada@example.com")
        let body: JSON = ["requestType": "PASSWORD_RESET", "email": "Ada@example.com", "returnOobLink": true]
        let made = try await app.administer("sendOobCode", body, token: token)
        #expect(made.text("email") == "ada@example.com" && made.text("oobLink").contains(made.text("oobCode")))
        let reset = try await app.post("resetPassword", ["oobCode": .string(made.text("oobCode")), "newPassword": "battery staple"])
        #expect(reset.status == 200)
        #expect(try await app.post("lookup", ["idToken": .string(person.text("idToken"))]).error == "TOKEN_EXPIRED")
        let mailed = try await app.administer("/v1/accounts:sendOobCode", ["requestType": 1, "email": "ada@example.com"], token: token)
        #expect(mailed.status == 200 && mailed.json["oobLink"] == nil)
        try await AdministratorRefusal.check(
            "sendOobCode",
            [
                ([:], "MISSING_REQ_TYPE"), (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
                (["requestType": "PASSWORD_RESET", "email": "nobody@example.com", "returnOobLink": true], "EMAIL_NOT_FOUND"),
                (["requestType": "VERIFY_EMAIL", "email": "nobody@example.com", "returnOobLink": true], "USER_NOT_FOUND"),
                (["requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ada@example.com"], "MISSING_NEW_EMAIL"),
                (
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ada@example.com", "newEmail": "ada@example.com",
                        "returnOobLink": true,
                    ], "EMAIL_EXISTS"
                ),
                (["requestType": "RECOVER_EMAIL", "email": "ada@example.com"], "OPERATION_NOT_ALLOWED"),
                (
                    ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": "https://evil.example"],
                    "UNAUTHORIZED_DOMAIN"
                ),
            ], app, token: token)
        let reader = try await app.accessToken([.readUsers, .manageUsers])
        try await AdministratorRefusal.check("sendOobCode", [(body, "PERMISSION_DENIED")], app, token: reader, status: 403)
    }

    @Test func `the account of an ID token comes before the address`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let idToken = JSON.string(UTF8Text(try await app.signUp("ada@example.com").text("idToken")))
        _ = try await app.signUp("bob@example.com")
        for (type, more) in [("VERIFY_EMAIL", [:]), ("VERIFY_AND_CHANGE_EMAIL", ["newEmail": "grace@example.com"])] as [(JSON, JSON.Object)]
        {
            for email in [nil, "bob@example.com"] as [JSON?] {
                var body: JSON.Object = ["requestType": type, "idToken": idToken, "returnOobLink": true]
                for member in more { body[member.name] = member.value }
                body["email"] = email
                let made = try await app.administer("sendOobCode", .object(body), token: token)
                #expect(made.text("email") == "ada@example.com", "\(type): \(made.error ?? "")")
                #expect(made.text("oobLink").contains(made.text("oobCode")) && !made.text("oobCode").isEmpty)
            }
        }
        let guest = try await app.post("signUp", [:])
        try await AdministratorRefusal.check(
            "sendOobCode",
            [
                (["requestType": "VERIFY_EMAIL", "idToken": "x", "returnOobLink": true], "INVALID_ID_TOKEN"),
                (
                    ["requestType": "VERIFY_EMAIL", "idToken": .string(UTF8Text(guest.text("idToken"))), "returnOobLink": true],
                    "MISSING_EMAIL"
                ),
                (["requestType": "PASSWORD_RESET", "idToken": idToken, "returnOobLink": true], "MISSING_EMAIL"),
            ], app, token: token)
    }

    @Test func `mails to one mailbox are limited, and links that are returned are not`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        _ = try await app.signUp("ada@example.com")
        let mail: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
        for _ in 0..<30 { #expect(try await app.administer("sendOobCode", mail, token: token).status == 200) }
        #expect(try await app.administer("sendOobCode", mail, token: token).error == "RESET_PASSWORD_EXCEED_LIMIT")
        let link: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true]
        #expect(try await app.administer("sendOobCode", link, token: token).status == 200)
    }
}
