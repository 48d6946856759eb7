import Accounts
import Crypto
import JSON
import Postgres
import TestApp
import Testing
import Text

/// The calls by which Admin SDKs manage accounts.
@Suite(.serialized) struct AdministratorCallTests {
    @Test func `creates, and shows all that was given`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let id = try await app.create(
            by: token,
            [
                "localId": "ada", "email": "Ada@Example.com", "emailVerified": true, "password": "correct horse", "disabled": false,
                "phoneNumber": "+441234567890", "displayName": "Ada", "photoUrl": "https://example.com/ada.png",
            ])
        #expect(id == "ada")
        let user = try #require(try await app.user(by: token, "ada"))
        #expect(user["email"] == "ada@example.com" && user["emailVerified"] == true && user["phoneNumber"] == "+441234567890")
        #expect(user["displayName"] == "Ada" && user["photoUrl"] == "https://example.com/ada.png")
        #expect(user["passwordHash"] == "UkVEQUNURUQ=" && user["salt"] == nil)
        #expect(user["disabled"] == nil && user["lastLoginAt"] == nil && user["validSince"]?.string != nil)
        #expect(user["providerUserInfo"]?.array?.map { $0["providerId"] } == ["password", "phone"])
        #expect(user["providerUserInfo"]?[1]?["rawId"] == "+441234567890" && user["providerUserInfo"]?[1]?["federatedId"] == nil)
        #expect(user["providerUserInfo"]?[1]?["phoneNumber"] == "+441234567890")
        let signedIn = try await app.post("signInWithPassword", ["email": "ada@example.com", "password": "correct horse"])
        #expect(signedIn.status == 200)
    }

    @Test func `gives the account of an ID token what is described, and makes no second one`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let guest = try await app.post("signUp", [:])
        let body: JSON.Object = [
            "idToken": .string(UTF8Text(guest.text("idToken"))), "email": "ada@example.com", "password": "correct horse",
        ]
        let given = try await app.administer("/v1/accounts:signUp", .object(body), token: token)
        #expect(given.text("localId") == guest.text("localId") && given.text("email") == "ada@example.com", "\(given.error ?? "")")
        let signedIn = try await app.post("signInWithPassword", ["email": "ada@example.com", "password": "correct horse"])
        #expect(signedIn.text("localId") == guest.text("localId"))
        var named = body
        named["localId"] = "ada"
        try await AdministratorRefusal.check(
            "", [(.object(named), "UNEXPECTED_PARAMETER : User ID"), (["idToken": "x"], "INVALID_ID_TOKEN")], app, token: token)
    }

    @Test func `makes an empty account, which is nothing that a client may do`() async throws {
        let app = try await TestApp()
        let token = try await app.accessToken()
        let id = try await app.create(by: token, [:])
        #expect(id.utf8.count == 28)
        let user = try #require(try await app.user(by: token, id))
        #expect(Set(user.object?.map(\.name) ?? []) == ["localId", "validSince", "createdAt"])
        #expect(try await app.post("signUp", [:]).error == "ADMIN_ONLY_OPERATION")
        let disabled = try await app.create(by: token, ["disabled": true])
        #expect(try await app.user(by: token, disabled)?["disabled"] == true)
    }

    @Test func `refuses to create in the order of the contract`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        _ = try await app.create(by: token, ["localId": "ada", "email": "ada@example.com", "phoneNumber": "+441234567890"])
        try await AdministratorRefusal.check(
            "",
            [
                (["localId": "ada", "email": "ada@example.com"], "DUPLICATE_LOCAL_ID"), (["email": "ADA@example.com"], "EMAIL_EXISTS"),
                (["email": "x"], "INVALID_EMAIL"), (["email": ""], "INVALID_EMAIL"),
                (["email": "b@example.com", "password": "short"], "WEAK_PASSWORD : Password should be at least 6 characters"),
                (["password": "correct horse"], "MISSING_EMAIL"), (["phoneNumber": "+441234567890"], "PHONE_NUMBER_EXISTS"),
                (["phoneNumber": "01234"], "INVALID_PHONE_NUMBER : Invalid format."),
                (["localId": .string(String(repeating: "x", count: 129))], "localId must have at most 128 characters"),
                (["localId": "a\u{0}b"], "localId must have"), (["disabled": "maybe"], "Invalid JSON payload received."),
                (["displayName": .string(String(repeating: "x", count: 257))], "displayName is longer"),
                (["mfaInfo": [["phoneInfo": "+441234567890"]]], "UNVERIFIED_EMAIL"),
                (["mfaInfo": [["phoneInfo": "01234"]]], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
                (["mfaInfo": [["displayName": "a"]]], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
                (["mfaInfo": [["mfaEnrollmentId": "a"]]], "MFA_ENROLLMENT_NOT_FOUND"),
                (["mfaInfo": [["mfaEnrollmentId": "a\u{1}", "phoneInfo": "+441234567890"]]], "INVALID_MFA_ENROLLMENT_ID : It is"),
                (["mfaInfo": [["phoneInfo": "+441234567890", "enrolledAt": "now"]]], "enrolledAt is not a time."),
                (["mfaInfo": [["phoneInfo": "+441234567890"], ["phoneInfo": "+441234567890"]]], "SECOND_FACTOR_EXISTS"),
                (
                    [
                        "mfaInfo": [
                            ["mfaEnrollmentId": "a", "phoneInfo": "+441234567890"], ["mfaEnrollmentId": "a", "phoneInfo": "+441234567891"],
                        ]
                    ], "DUPLICATE_MFA_ENROLLMENT_ID"
                ),
                (
                    ["mfaInfo": .array((0..<6).map { ["phoneInfo": .string("+44123456789\($0)")] })], "SECOND_FACTOR_LIMIT_EXCEEDED"
                ),
                (["tenantId": "t"], "UNSUPPORTED_TENANT_OPERATION"), (["targetProjectId": "other"], "targetProjectId is not"),
            ], app, token: token)
    }

    @Test func `changes what only administrators change`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        _ = try await app.create(by: token, ["localId": "ada", "email": "ada@example.com"])
        let answer = try await app.administer(
            "update",
            [
                "localId": "ada", "emailVerified": true, "phoneNumber": "+441234567890", "customAttributes": #"{"admin":true}"#,
                "createdAt": "1600000000123", "lastLoginAt": 1_650_000_000_456, "displayName": "Ada", "mfa": [:],
                "linkProviderUserInfo": ["providerId": "Google.com", "rawId": "123", "email": "Ada@gmail.com"],
            ], token: token)
        #expect(answer.status == 200 && answer.json["kind"] == "identitytoolkit#SetAccountInfoResponse")
        #expect(answer.text("localId") == "ada" && answer.json["emailVerified"] == true && answer.json["idToken"] == nil)
        let user = try #require(try await app.user(by: token, "ada"))
        #expect(user["customAttributes"] == #"{"admin":true}"# && user["phoneNumber"] == "+441234567890")
        #expect(user["createdAt"] == "1600000000123" && user["lastLoginAt"] == "1650000000456")
        #expect(user["lastRefreshAt"] == "2022-04-15T05:20:00.456Z")
        #expect(user["providerUserInfo"]?[0]?["rawId"] == "123" && user["providerUserInfo"]?[0]?["email"] == "ada@gmail.com")

        let cleared = try await app.administer(
            "update",
            [
                "localId": "ada", "customAttributes": "{}", "deleteProvider": ["phone", "google.com"],
                "deleteAttribute": ["DISPLAY_NAME", "EMAIL"], "mfa": ["enrollments": []],
            ], token: token)
        #expect(cleared.status == 200)
        let bare = try #require(try await app.user(by: token, "ada"))
        for name in ["customAttributes", "phoneNumber", "displayName", "email", "providerUserInfo"] as [UTF8Text] {
            #expect(bare[name] == nil, "\(name)")
        }
    }

    @Test func `refuses changes in the order of the contract`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        _ = try await app.create(by: token, ["localId": "ada", "email": "ada@example.com", "phoneNumber": "+441234567890"])
        _ = try await app.create(by: token, ["localId": "eve"])
        func eve(_ fields: JSON.Object) -> JSON { .object((["localId": "eve"] as JSON.Object).merging(fields)) }
        try await AdministratorRefusal.check(
            "update",
            [
                ([:], "MISSING_LOCAL_ID"), (["localId": ""], "MISSING_LOCAL_ID"), (["localId": "nobody"], "USER_NOT_FOUND"),
                (["localId": "a\u{0}b"], "USER_NOT_FOUND"), (["idToken": "x"], "MISSING_LOCAL_ID"),
                (eve(["email": "x"]), "INVALID_EMAIL"), (eve(["email": "ada@example.com"]), "EMAIL_EXISTS"),
                (eve(["password": "correct horse"]), "MISSING_EMAIL"),
                (eve(["email": "eve@example.com", "password": "short"]), "WEAK_PASSWORD"),
                (eve(["phoneNumber": "+441234567890"]), "PHONE_NUMBER_EXISTS"),
                (eve(["phoneNumber": "+0123"]), "INVALID_PHONE_NUMBER : Invalid format."),
                (eve(["customAttributes": "[]"]), "INVALID_CLAIMS"),
                (eve(["customAttributes": #"{"firebase":1}"#]), "FORBIDDEN_CLAIM : firebase"),
                (eve(["customAttributes": .string("{\"a\":\"" + String(repeating: "x", count: 1000) + "\"}")]), "CLAIMS_TOO_LARGE"),
                (eve(["linkProviderUserInfo": ["rawId": "1"]]), "MISSING_PROVIDER_ID"),
                (eve(["linkProviderUserInfo": ["providerId": "google.com"]]), "MISSING_RAW_ID"),
                (eve(["linkProviderUserInfo": ["providerId": "password", "rawId": "1"]]), "INVALID_PROVIDER_ID"),
                (eve(["mfa": ["enrollments": [["phoneInfo": "+1"]]]]), "INVALID_MFA_PHONE_NUMBER : Invalid format."),
                (eve(["mfa": ["enrollments": [["phoneInfo": "+441234567890"]]]]), "UNVERIFIED_EMAIL"),
                (eve(["validSince": "soon"]), "Invalid JSON payload received."), (eve(["createdAt": -1]), "createdAt is not a time."),
                (eve(["deleteAttribute": ["PROVIDER"]]), "OPERATION_NOT_ALLOWED : PROVIDER cannot be deleted"),
            ], app, token: token)
    }

    @Test func `SEC-50 a disabled account, a revocation and a deletion reach its person at once`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        for (change, refresh, lookup) in [
            (["disableUser": true], "USER_DISABLED", "USER_DISABLED"), (["validSince": 4_000_000_000], "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
        ] as [(JSON.Object, String, String)] {
            let person = try await app.signUp("\(refresh.count)\(change.count)\(change[0].name)@example.com")
            let changed = try await app.administer(
                "update", .object(change.merging(["localId": .string(person.text("localId"))])), token: token)
            #expect(changed.status == 200)
            #expect(try await app.post("lookup", ["idToken": .string(person.text("idToken"))]).error == lookup)
            let body: JSON = ["grant_type": "refresh_token", "refresh_token": .string(person.text("refreshToken"))]
            #expect(try await app.post("/v1/token", body).error == refresh)
        }
        let person = try await app.signUp("gone@example.com")
        #expect(try await app.administer("delete", ["localId": .string(person.text("localId"))], token: token).status == 200)
        #expect(try await app.post("lookup", ["idToken": .string(person.text("idToken"))]).error == "USER_NOT_FOUND")
        try await AdministratorRefusal.check(
            "delete",
            [
                ([:], "MISSING_LOCAL_ID"), (["localId": .string(person.text("localId"))], "USER_NOT_FOUND"),
                (["localId": "a\u{0}"], "USER_NOT_FOUND"),
            ], app, token: token)
    }

    @Test func `removes many, and says which are not disabled`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        for (id, disabled) in [("a", true), ("b", false)] {
            _ = try await app.create(by: token, ["localId": .string(id), "disabled": .bool(disabled)])
        }
        let some = try await app.administer("batchDelete", ["localIds": ["nobody", "a", "b"]], token: token)
        #expect(
            some.json == [
                "errors": [["index": 2, "localId": "b", "message": "NOT_DISABLED : Disable the account before batch deletion."]]
            ])
        #expect(try await app.administer("batchDelete", ["localIds": ["a", "b"], "force": true], token: token).json == [:])
        #expect(try await app.user(by: token, "b") == nil)
        let many = JSON.array((0...1000).map { .string("account \($0)") })
        try await AdministratorRefusal.check(
            "batchDelete", [([:], "LOCAL_ID_LIST_EXCEEDS_LIMIT"), (["localIds": many], "LOCAL_ID_LIST_EXCEEDS_LIMIT")], app, token: token)
    }

    @Test func `imports accounts at both paths, and refuses each bad one by itself`() async throws {
        let app = try await TestApp.open()
        let token = try await app.accessToken()
        let users: JSON = [
            ["localId": "ada", "email": "ada@example.com", "rawPassword": "a secret", "validSince": "1600000000"],
            ["localId": "eve", "email": "ada@example.com"], ["email": "nobody@example.com"], ["localId": "x", "email": "no address"], 7,
            ["localId": "y", "customAttributes": "[]"], ["localId": "z", "passwordHash": "aaaa"],
            ["localId": "old", "email": "old@example.com", "mfaInfo": [["mfaEnrollmentId": "m", "phoneInfo": "+15555550100"]]],
        ]
        let answer = try await app.administer("batchCreate", ["users": users], token: token)
        #expect(answer.status == 200)
        let errors = answer.json["error"]?.array ?? []
        #expect(errors.compactMap { $0["index"]?.integer } == [1, 2, 3, 4, 5, 6])
        let codes = errors.compactMap { $0["message"]?.string?.asString.split(separator: " ").first.map(String.init) }
        #expect(
            codes == ["DUPLICATE_EMAIL", "INVALID_UID", "INVALID_EMAIL", "MALFORMED_ROW", "INVALID_CLAIMS", "INVALID_PASSWORD_HASH"])
        #expect(try await app.user(by: token, "old")?["mfaInfo"]?[0]?["phoneInfo"] == "+15555550100")
        let again = try await app.administer(
            "/identitytoolkit/v3/relyingparty/uploadAccount", ["users": [["localId": "ada", "displayName": "Ada"]]], token: token)
        #expect(again.json == [:])
        #expect(try await app.user(by: token, "ada")?["displayName"] == "Ada")
        #expect(try await app.user(by: token, "ada")?["email"] == nil)
        let many = JSON.array((0...1000).map { ["localId": .string("account \($0)")] })
        try await AdministratorRefusal.check(
            "batchCreate",
            [
                ([:], "MISSING_USER_ACCOUNT"), (["users": []], "MISSING_USER_ACCOUNT"),
                (["users": many], "users has more than 1000"),
                (["users": [["localId": "a"]], "hashAlgorithm": "ROT13"], "hashAlgorithm: "),
                (["users": [["localId": "a"]], "hashAlgorithm": "HMAC_SHA256"], "signerKey: "),
                (["users": [["localId": "a"]], "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1_073_741_824], "cpuMemCost: "),
            ], app, token: token)
    }

    @Test func `SEC-14 asks for the right of each call, for the project, and for a token`() async throws {
        let app = try await TestApp.open()
        let reader = try await app.accessToken([.readUsers])
        let stranger = try await app.accessToken(of: "other")
        for call in ["", "update", "delete", "batchCreate", "batchDelete", "sendOobCode"] {
            let answer = try await app.administer(call, ["localId": "x"], token: reader)
            #expect(answer.status == 403 && answer.error?.hasPrefix("PERMISSION_DENIED") == true, "\(call)")
        }
        let writer = try await app.accessToken([.manageUsers])
        for call in ["lookup", "query"] { #expect(try await app.administer(call, [:], token: writer).status == 403, "\(call)") }
        #expect(try await app.administer("batchGet", token: writer).status == 403)
        for call in ["", "update", "delete", "batchDelete", "lookup", "query", "sendOobCode"] {
            #expect(try await app.administer(call, ["localId": "x"], token: stranger).status == 403, "\(call)")
            #expect(try await app.administer(call, ["localId": "x"], token: nil).error == "Login Required.", "\(call)")
            #expect(try await app.administer(call, ["localId": "x"], token: "owner").error == "Invalid Credentials", "\(call)")
        }
        #expect(try await app.database.query("SELECT 1 FROM accounts").isEmpty)
    }
}
