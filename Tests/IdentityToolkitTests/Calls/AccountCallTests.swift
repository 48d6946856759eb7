import JSON
import TestApp
import Testing
import Text

/// `accounts:update`, `accounts:delete` and `accounts:createAuthUri`.
@Suite struct AccountCallTests {
    @Test func `refuses a change in the order of the contract`() async throws {
        let app = try await TestApp.open()
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        try await Refusal.check(
            "update",
            [
                Refusal([:], "INVALID_REQ_TYPE : Unsupported request parameters."),
                Refusal(["idToken": token, "disableUser": true], "OPERATION_NOT_ALLOWED"),
                Refusal(["idToken": token, "customAttributes": "{}"], "INSUFFICIENT_PERMISSION"),
                Refusal(["idToken": token, "email": "x"], "INVALID_EMAIL"),
                Refusal(["idToken": token, "email": "new@example.com"], "OPERATION_NOT_ALLOWED : Please verify the new email"),
                Refusal(["idToken": token, "password": "short"], "WEAK_PASSWORD"),
                Refusal(["idToken": token, "photoUrl": "javascript:alert(1)"], "photoUrl does not begin with"),
                Refusal(["idToken": token, "photoUrl": "data:text/html,x"], "photoUrl does not begin with"),
                Refusal(["idToken": token, "deleteAttribute": ["PROVIDER"]], "OPERATION_NOT_ALLOWED : PROVIDER cannot be deleted"),
                Refusal(["idToken": token, "deleteAttribute": ["SHOE_SIZE"]], "Invalid JSON payload received."),
                Refusal(["idToken": "x", "displayName": "Ada"], "INVALID_ID_TOKEN"),
            ], app)
    }

    @Test func `changes the profile, and removes what it is told to remove`() async throws {
        let app = try await TestApp.open()
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        let named = try await app.post("update", ["idToken": token, "displayName": "Ada", "photoUrl": "https://example.com/ada.png"])
        #expect(named.text("displayName") == "Ada")
        let removed = try await app.post("update", ["idToken": token, "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]])
        #expect(removed.status == 200)
        #expect(removed.json["displayName"] == nil)
        #expect(removed.json["photoUrl"] == nil)
    }

    @Test func `deletes only the caller's account`() async throws {
        let app = try await TestApp.open()
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        let other = try await app.signUp("grace@example.com")
        try await Refusal.check("delete", [Refusal([:], "MISSING_ID_TOKEN"), Refusal(["idToken": "x"], "INVALID_ID_TOKEN")], app)
        #expect(try await app.post("delete", ["idToken": token]).status == 200)
        try await Refusal.check("lookup", [Refusal(["idToken": token], "USER_NOT_FOUND")], app)
        let left = try await app.post("lookup", ["idToken": .string(other.text("idToken"))])
        #expect(left.status == 200)
        #expect(left.json["users"]?[0]?["localId"]?.string?.asString == other.text("localId"))
    }

    @Test func `says how an address signs in only where addresses are not protected`() async throws {
        for (more, isRegistered) in [("", nil), ("emailEnumerationProtection: false\n", true)] as [(String, Bool?)] {
            let app = try await TestApp(project: "signIn: {password: true}\n" + more)
            _ = try await app.signUp("ada@example.com")
            let answer = try await app.post("createAuthUri", ["identifier": "ada@example.com", "continueUri": "http://localhost"])
            #expect(answer.json["registered"]?.bool == isRegistered)
            try await Refusal.check(
                "createAuthUri",
                [
                    Refusal([:], "MISSING_IDENTIFIER"), Refusal(["identifier": "ada@example.com"], "MISSING_CONTINUE_URI"),
                    Refusal(["identifier": "ada", "continueUri": "http://localhost"], "INVALID_IDENTIFIER"),
                    Refusal(["identifier": "ada@example.com", "continueUri": "x"], "INVALID_CONTINUE_URI"),
                ], app)
        }
    }
}
