import Crypto
import HTTP
import JSON
import Postgres
import TestApp
import Testing
import Text

/// Signing in with made-up people: for the development project, from the server's own machine, and nowhere else (SEC-22).
@Suite struct DevelopmentSignInTests {
    private static let ada = #"{"sub":"ada","email":"Ada@example.com","email_verified":true,"name":"Ada"}"#
    private static let state = "demo." + Base64URL.encode(Array(repeating: 1, count: 48))
    private static let otherState = "other." + Base64URL.encode(Array(repeating: 1, count: 48))

    private func signIn(
        _ app: TestApp, _ fields: Form, key: String = "key", _ headers: [(String, String)] = [], from address: String = "127.0.0.1",
        _ more: JSON.Object = [:]
    ) async throws -> JSON {
        var body: JSON.Object = ["requestUri": "http://localhost", "postBody": .string(fields.encoded()), "returnIdpCredential": true]
        for member in more { body[member.name] = member.value }
        let response = await app.answer(
            try .ofThisMachine(.post, "/v1/accounts:signInWithIdp", "key=\(key)", headers, body: .object(body), from: address))
        return try JSON.parse(response.body)
    }

    private func error(_ answer: JSON) -> String? { answer["error"]?["message"]?.string?.asString }

    private func accounts(_ app: TestApp) async throws -> Int64? {
        try await app.database.query("SELECT count(*) FROM accounts").first?.value()
    }

    @Test func `answers as the emulator does, and knows the person again`() async throws {
        let app = try await TestApp(development: true)
        let made = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)])
        #expect(made["isNewUser"] == true && made["idToken"]?.string != nil)
        #expect(made["federatedId"] == "https://accounts.google.com/ada")
        #expect(made["email"] == "ada@example.com" && made["emailVerified"] == true && made["fullName"] == "Ada")
        #expect(made["oauthIdToken"] == .string(UTF8Text(Self.ada)))
        #expect(made["oauthAccessToken"] == "FirebaseAuthEmulatorFakeAccessToken_google.com")
        let again = try await signIn(app, ["providerId": "google.com", "access_token": #"{"sub":"ada"}"#])
        #expect(again["localId"] == made["localId"] && again["isNewUser"] == nil)
        // Another provider says that the same address is verified, as the emulator's page always does.
        let joined = try await signIn(app, ["providerId": "github.com", "access_token": UTF8Text(Self.ada)])
        #expect(joined["localId"] == made["localId"])
    }

    @Test func `answers with what the account says of the person, and with the provider's words in rawUserInfo`() async throws {
        let app = try await TestApp(development: true)
        let claims = #"""
            {"sub":"ada","email":"ren\u00e9@example.com","email_verified":true,"name":"A\u202eda","screen_name":"ada\u000799",
            "given_name":"A\u202ed","picture":"javascript:alert(1)"}
            """#
        let made = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(claims)])
        #expect(made["email"] == nil && made["emailVerified"] == nil && made["photoUrl"] == nil)
        #expect(made["displayName"] == "Ada" && made["fullName"] == "Ada" && made["screenName"] == "ada99" && made["firstName"] == "Ad")
        #expect(made["rawUserInfo"]?.string?.asString.contains("ren\u{E9}@example.com") == true)
        let token: JSON.Object = ["idToken": made["idToken"] ?? .null]
        let response = await app.answer(try .ofThisMachine(.post, "/v1/accounts:lookup", "key=key", body: .object(token)))
        let user = try #require(try JSON.parse(response.body)["users"]?[0])
        #expect(user["screenName"] == "ada99" && user["displayName"] == "Ada" && user["email"] == nil && user["photoUrl"] == nil)
        #expect(user["providerUserInfo"]?[0]?["screenName"] == "ada99")
    }

    @Test func `asks to confirm an address that is not verified, and links the pending credential`() async throws {
        let app = try await TestApp(development: true)
        let made = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)])
        let conflict = try await signIn(
            app, ["providerId": "microsoft.com", "id_token": #"{"sub":"m","email":"ada@example.com"}"#])
        #expect(conflict["needConfirmation"] == true && conflict["idToken"] == nil)
        let linked = try await signIn(
            app, [:], [], ["pendingToken": try #require(conflict["pendingToken"]), "idToken": try #require(made["idToken"])])
        #expect(linked["localId"] == made["localId"] && linked["providerId"] == "microsoft.com")
    }

    /// Every way not to be a program of this machine that calls the development project.
    static let strangers: [(key: String, headers: [(String, String)], address: String)] = [
        ("other-key", [], "127.0.0.1"), ("key", [], "192.0.2.1"), ("key", [], "::ffff:192.0.2.1"),
        ("key", [("host", "auth.example.com")], "127.0.0.1"), ("key", [("host", "localhost.evil.example")], "127.0.0.1"),
        ("key", [("x-forwarded-for", "127.0.0.1")], "127.0.0.1"), ("key", [("via", "1.1 tunnel")], "127.0.0.1"),
        ("key", [("origin", "https://evil.example")], "127.0.0.1"), ("key", [("origin", "null")], "127.0.0.1"),
        ("key", [("sec-fetch-site", "cross-site")], "127.0.0.1"),
    ]

    private static let noEntry =
        "OPERATION_NOT_ALLOWED : The provider google.com is not enabled for this project: it has no entry in the project's file."

    @Test func `SEC-22 believes nothing that comes from elsewhere or is for another project`() async throws {
        let app = try await TestApp(development: true)
        for stranger in Self.strangers {
            let answer = try await signIn(
                app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)], key: stranger.key, stranger.headers,
                from: stranger.address)
            #expect(error(answer) == Self.noEntry, "\(stranger)")
        }
        #expect(try await accounts(app) == 0)
        let own = try await signIn(
            app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)], [("origin", "https://app.example.com")])
        #expect(own["isNewUser"] == true)
    }

    @Test func `SEC-22 a pending token of a made-up person is worth nothing elsewhere`() async throws {
        let app = try await TestApp(development: true)
        let made = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)])
        let token = try #require(made["pendingToken"])
        let stranger = try await signIn(app, [:], [("x-forwarded-for", "192.0.2.1")], ["pendingToken": token])
        #expect(error(stranger)?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    }

    @Test func `SEC-22 production believes nothing, and has no such page`() async throws {
        let app = try await TestApp()
        let answer = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)])
        #expect(error(answer) == Self.noEntry)
        let page = await app.answer(try .ofThisMachine(.get, "/__/auth/development", query()))
        let unknown = await app.answer(try .ofThisMachine(.get, "/__/auth/nothing", query()))
        #expect(page.status == 404 && page.body == unknown.body)
        #expect(try await accounts(app) == 0)
    }

    @Test(arguments: [true, false]) func `leaves a provider to its entry, also to one that is switched off`(isOn: Bool) async throws {
        let entry = "providers:\n  github.com: {enabled: \(isOn), clientId: a, clientSecret: {env: MASTER_KEY}}\n"
        let app = try await TestApp(project: entry, development: true)
        // It is sent to the service itself, whose answer such a text cannot be.
        let answer = error(try await signIn(app, ["providerId": "github.com", "access_token": #"{"sub":"a b"}"#]))
        #expect(answer?.hasPrefix(isOn ? "INVALID_CREDENTIAL_OR_PROVIDER_ID" : "OPERATION_NOT_ALLOWED") == true, "\(answer ?? "")")
        #expect(answer?.hasSuffix(isOn ? "so only its own tokens count." : "its entry says enabled: false.") == true, "\(answer ?? "")")
        #expect(await app.answer(try .ofThisMachine(.get, "/__/auth/development", query("github.com"))).status == 400)
    }

    @Test func `makes no person up beside the users of a real provider`() async throws {
        let app = try await TestApp(development: true)
        _ = try await signIn(app, ["providerId": "github.com", "access_token": UTF8Text(Self.ada)])
        _ = try await app.database.write("UPDATE provider_issuers SET issuer = 'https://github.com'")
        let answer = error(try await signIn(app, ["providerId": "github.com", "access_token": UTF8Text(Self.ada)]))
        #expect(answer?.hasPrefix("INVALID_IDP_RESPONSE : This project has users of github.com from https://github.com") == true)
    }

    // MARK: The page

    private func query(_ provider: String = "google.com", state: String = Self.state, to: String? = nil, _ more: Form = [:]) -> String {
        let fields = [
            (name: "client_id", value: provider), (name: "state", value: state),
            (name: "redirect_uri", value: to ?? "http://localhost:8080/__/auth/handler"),
        ]
        return Form(Form(fields).fields + more.fields).encoded()
    }

    private func page(_ app: TestApp, _ query: String) async throws -> (status: Int, text: String) {
        let response = await app.answer(try .ofThisMachine(.get, "/__/auth/development", query))
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test func `offers the people of before, and answers with claims`() async throws {
        let app = try await TestApp(development: true)
        #expect(try await !page(app, query()).text.contains("A person who signed in before"))
        _ = try await signIn(app, ["providerId": "google.com", "id_token": UTF8Text(Self.ada)])
        #expect(try await page(app, query()).text.contains("ada@example.com"))
        #expect(try await !page(app, query("github.com")).text.contains("ada@example.com"))

        let more: Form = ["act": "make", "email": "grace@example.com", "name": "Grace"]
        let answer = await app.answer(try .ofThisMachine(.get, "/__/auth/development", query(more)))
        #expect(answer.status == 303)
        let location = try #require(answer.headers["location"]?.asString)
        #expect(location.hasPrefix("http://localhost:8080/__/auth/handler?code=%7B"))
        let form = try #require(Form(String(location.split(separator: "?")[1])))
        #expect(form["state"] == UTF8Text(Self.state))
        let claims = try JSON.parse(Array(try #require(form["code"]).utf8))
        #expect(claims["email"] == "grace@example.com" && claims["email_verified"] == false && claims["name"] == "Grace")
    }

    @Test func `fills the form, keeps what cannot be used, and says why`() async throws {
        let app = try await TestApp(development: true)
        #expect(try await page(app, query(["login_hint": "ada@example.com"])).text.contains(#"value="ada@example.com""#))
        #expect(try await page(app, query(["act": "generate"])).text.contains("@example.com"))
        #expect(try await page(app, query(["ui_locales": "de"])).text.contains("Mit Google anmelden"))
        let wrong = try await page(app, query(["act": "make", "email": "<ada>"]))
        #expect(wrong.status == 400 && wrong.text.contains("This is not an e-mail address."))
        #expect(wrong.text.contains("&lt;ada&gt;") && !wrong.text.contains("<ada>"))
    }

    @Test func `SEC-22 the page is there for the development project on this machine alone`() async throws {
        let app = try await TestApp(development: true)
        for stranger in Self.strangers.filter({ $0.key == "key" && !["origin", "sec-fetch-site"].contains($0.headers.first?.0) }) {
            let response = await app.answer(
                try .ofThisMachine(.get, "/__/auth/development", query(), stranger.headers, from: stranger.address))
            #expect(response.status == 404, "\(stranger)")
        }
        #expect(try await page(app, query(state: Self.otherState)).status == 404)
        for state in ["", "demo", "unknown" + Self.state] { #expect(try await page(app, query(state: state)).status == 404) }
        // An app's page, on another site as it may be, sends the browser here; but no site can read or frame it.
        let linked = await app.answer(try .ofThisMachine(.get, "/__/auth/development", query(), [("sec-fetch-site", "cross-site")]))
        #expect(linked.status == 200 && linked.headers["access-control-allow-origin"] == nil)
        #expect(linked.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    }

    @Test(arguments: [
        "https://evil.example/", "https://localhost.evil.example/", "http://app.example.com/", "javascript:alert(1)",
        "http://localhost:8080/__/auth/handler?code=x", "http://localhost:8080/__/auth/handler#x", "",
    ])
    func `SEC-10 the page leads to no foreign address`(address: String) async throws {
        let app = try await TestApp(development: true)
        for more: Form in [[:], ["act": "make"]] { #expect(try await page(app, query(to: address, more)).status == 400) }
    }

    @Test func `SEC-10 the page knows the providers that it takes the place of, and each parameter once`() async throws {
        let app = try await TestApp(development: true)
        for provider in ["oidc.Any", "example.com", ""] { #expect(try await page(app, query(provider)).status == 400) }
        #expect(try await page(app, query(["redirect_uri": "https://app.example.com/"])).status == 400)
        #expect(try await page(app, query(to: "https://app.example.com/")).status == 200)
    }

    private func query(_ more: Form) -> String { query("google.com", more) }
}
