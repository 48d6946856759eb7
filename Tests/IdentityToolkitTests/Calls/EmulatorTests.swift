import Crypto
import HTTP
import JSON
import TestApp
import Testing
import Text

/// What test suites that were written for Firebase's Auth emulator ask, in development mode.
@Suite struct EmulatorTests {
    private static let project = "signIn: {password: true, anonymous: true}\nemailEnumerationProtection: false\n"

    private func send(_ app: TestApp, _ request: Request) async throws -> TestApp.Answer {
        let response = await app.answer(request)
        return TestApp.Answer(status: response.status, json: try JSON.parse(response.body))
    }

    /// - Parameter call: `signUp` stands for `/v1/accounts:signUp`.
    private func post(
        _ app: TestApp, _ call: String, _ body: JSON, key: String = "key", from address: String = "127.0.0.1"
    ) async throws -> TestApp.Answer {
        try await send(app, .ofThisMachine(.post, "/v1/accounts:\(call)", "key=\(key)", body: body, from: address))
    }

    private func configure(
        _ app: TestApp, _ body: JSON, _ query: String = "", from address: String = "127.0.0.1"
    ) async throws -> TestApp.Answer {
        let owner = [("authorization", "Bearer owner")]
        return try await send(app, .ofThisMachine(.patch, "/v2/projects/demo/config", query, owner, body: body, from: address))
    }

    private func signIn(_ app: TestApp, withClaims claims: UTF8Text) async throws -> TestApp.Answer {
        let fields: Form = ["providerId": "google.com", "id_token": claims]
        return try await post(
            app, "signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(UTF8Text(fields.encoded()))])
    }

    private func signInProvider(of answer: TestApp.Answer) throws -> JSON? {
        let payload = try #require(answer.text("idToken").split(separator: ".").dropFirst().first)
        let claims = try JSON.parse(#require(Base64URL.decodeStrict(String(payload))))
        return claims["firebase"]?["sign_in_provider"]
    }

    @Test func `takes the plain JSON of a custom token, from this machine alone`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let call = "signInWithCustomToken"
        let token: JSON = ["token": #"{"uid":"ada","claims":{"role":"admin"}}"#]
        let made = try await post(app, call, token)
        #expect(made.status == 200 && made.json["isNewUser"] == true, "\(made.error ?? "")")
        #expect(try await post(app, call, token).json["isNewUser"] == false)
        #expect(try await post(app, call, ["token": "{}"]).error == "MISSING_IDENTIFIER")
        #expect(try await post(app, call, ["token": "{"]).error?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
        #expect(try await post(app, call, token, from: "192.0.2.1").error?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
        let other = try await post(app, call, token, key: "other-key")
        #expect(other.error?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
    }

    @Test func `sets second factors by the call of administrators`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let set = try await configure(app, ["mfa": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]]], "updateMask=mfa")
        #expect(set.status == 200 && set.json["mfa"]?["state"] == "ENABLED", "\(set.error ?? "")")
        #expect(set.json["mfa"]?["enabledProviders"] == ["PHONE_SMS"])
        let apps = try await configure(
            app, ["mfa": ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]]]])
        #expect(apps.json["mfa"]?["state"] == "ENABLED" && apps.json["mfa"]?["enabledProviders"] == ["PHONE_SMS"])
        #expect(apps.json["mfa"]?["providerConfigs"]?[0]?["totpProviderConfig"]?["adjacentIntervals"] == 5)
        let most = try await configure(app, ["mfa": ["providerConfigs": [["totpProviderConfig": ["adjacentIntervals": 99]]]]])
        #expect(most.json["mfa"]?["providerConfigs"]?[0]?["totpProviderConfig"]?["adjacentIntervals"] == 10)
        let none = try await configure(app, ["mfa": ["state": "DISABLED", "enabledProviders": [], "providerConfigs": []]])
        #expect(none.json["mfa"] == ["state": "DISABLED"])
        for body: JSON in [["mfa": ["state": "SOMETIMES"]], ["mfa": ["enabledProviders": ["MAIL"]]], ["mfa": ["providerConfigs": "x"]]] {
            #expect(try await configure(app, body).error?.hasPrefix("Invalid JSON payload received.") == true, "\(body)")
        }
        let masked = try await configure(
            app, ["mfa": ["state": "MANDATORY"], "signIn": ["allowDuplicateEmails": true]], "updateMask=mfa.state")
        #expect(masked.json["mfa"]?["state"] == "MANDATORY" && masked.json["signIn"]?["allowDuplicateEmails"] == false)
        #expect(try await configure(app, ["mfa": ["other": 1]]).error?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true)
    }

    @Test func `sets two switches by the call of administrators, and no other setting`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let body: JSON = ["signIn": ["allowDuplicateEmails": true], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        let both = try await configure(app, body, "updateMask=signIn.allowDuplicateEmails,emailPrivacyConfig")
        #expect(both.status == 200, "\(both.error ?? "")")
        #expect(both.json["signIn"]?["allowDuplicateEmails"] == true)
        #expect(both.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
        let one = try await configure(app, ["signIn": ["allowDuplicateEmails": false]])
        #expect(one.json["signIn"]?["allowDuplicateEmails"] == false)
        #expect(one.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
        let refused: [(String, JSON)] = [
            ("", ["signIn": ["anonymous": ["enabled": true]]]), ("", ["passwordPolicyConfig": ["forceUpgradeOnSignin": true]]),
            ("updateMask=client", ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]),
        ]
        for (query, body) in refused {
            #expect(try await configure(app, body, query).error?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true, "\(body)")
        }
        #expect(try await configure(app, body, from: "192.0.2.1").status == 401)
    }

    @Test func `a password that is linked to a provider's session signs in by password`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let google = try await signIn(app, withClaims: #"{"sub":"ada","email":"ada@example.com","email_verified":true}"#)
        #expect(try signInProvider(of: google) == "google.com")
        let linked = try await post(
            app, "signUp", ["idToken": .string(UTF8Text(google.text("idToken"))), "email": "ada@example.com", "password": "correct horse"])
        #expect(linked.text("localId") == google.text("localId"), "\(linked.error ?? "")")
        #expect(try signInProvider(of: linked) == "password")
    }

    @Test func `where addresses may be shared, an address that a provider told is registered, without its ways to sign in`() async throws {
        let app = try await TestApp(
            project: "signIn: {password: true, oneAccountPerEmail: false}\nemailEnumerationProtection: false\n", development: true)
        let made = try await signIn(app, withClaims: #"{"sub":"ada","email":"ada@example.com","email_verified":true}"#)
        #expect(made.status == 200, "\(made.error ?? "")")
        let asked: JSON = ["identifier": "ada@example.com", "continueUri": "http://localhost/"]
        let known = try await post(app, "createAuthUri", asked)
        #expect(known.json["registered"] == true && known.json["signinMethods"] == nil || known.json["signinMethods"] == [])
        let unknown = try await post(app, "createAuthUri", ["identifier": "bob@example.com", "continueUri": "http://localhost/"])
        #expect(unknown.json["registered"] == false)
    }
}
