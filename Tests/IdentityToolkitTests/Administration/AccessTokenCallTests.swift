import Accounts
import HTTP
import JSON
import Runtime
import TestApp
import Testing
import Text

/// `POST /token`, and what its access tokens open.
@Suite struct AccessTokenCallTests {
    private func error(_ response: Response) throws -> String? { try JSON.parse(response.body)["error"]?.string?.asString }

    @Test func `gives an access token that opens a call of administrators, again and again`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let assertion = try backEnd.assertion()
        for path in ["/token", "/oauth2/v4/token", "/o/oauth2/token"] {
            let response = await backEnd.grant(assertion, path: path)
            let json = try JSON.parse(response.body)
            #expect(response.status == 200 && response.headers["cache-control"] == "no-store")
            #expect(json["token_type"] == "Bearer" && json["expires_in"] == 3600)
            #expect(json["scope"] == "https://www.googleapis.com/auth/firebase")
            let token = try #require(json["access_token"]?.string?.asString)
            #expect(try await backEnd.call(.get, "/v2/projects/demo/config", token: token).status == 200)
        }
    }

    @Test func `takes one round trip`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let assertion = try backEnd.assertion()
        let ofGood = await app.roundTrips { _ = await backEnd.grant(assertion) }
        let ofBad = await app.roundTrips { _ = await backEnd.grant("a.b.c") }
        #expect(ofGood == 1 && ofBad == 0)
    }

    @Test func `refuses an assertion in the words of OAuth`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let table: [(JSON.Object, String)] = [
            (["aud": "https://evil.example/token"], "invalid_grant"), (["sub": "ada@example.com"], "invalid_grant"),
            (["iat": 1, "exp": 3601], "invalid_grant"), (["scope": "openid"], "invalid_scope"),
            (["iss": "nobody@demo.iam.gserviceaccount.com", "sub": nil], "invalid_grant"),
            (["iss": "backend@nowhere.iam.gserviceaccount.com", "sub": nil], "invalid_grant"),
            (["iss": "backend@other.iam.gserviceaccount.com", "sub": nil], "invalid_grant"),
        ]
        for (changes, code) in table {
            let response = await backEnd.grant(try backEnd.assertion(changes))
            #expect(response.status == 400)
            #expect(try error(response) == code, "\(changes)")
            #expect(response.headers["access-control-allow-origin"] == nil)
        }
        // Unknown accounts and unknown projects are told the same.
        let texts = await [
            backEnd.grant(try backEnd.assertion(table[4].0)).body, backEnd.grant(try backEnd.assertion(table[5].0)).body,
            backEnd.grant(try backEnd.assertion([:], header: ["kid": "other"])).body,
        ]
        #expect(Set(texts.map { String(decoding: $0, as: UTF8.self) }).count == 1)
    }

    @Test func `refuses a form that is not a request for a token`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let assertion = try backEnd.assertion()
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        let form = "application/x-www-form-urlencoded"
        for (type, body, code) in [
            ("application/json", #"{"grant_type":"urn:ietf:params:oauth:grant-type:jwt-bearer"}"#, "invalid_request"),
            (form, "", "invalid_request"), (form, grant, "invalid_request"), (form, "\(grant)&assertion=", "invalid_request"),
            (form, "grant_type=refresh_token&assertion=\(assertion)", "unsupported_grant_type"),
            (form, "grant_type=client_credentials", "unsupported_grant_type"), (form, "assertion=\(assertion)", "invalid_request"),
            (form, "\(grant)&assertion=\(assertion)&assertion=\(assertion)", "invalid_request"), (form, "%", "invalid_request"),
            (form, "\(grant)&assertion=owner", "invalid_grant"),
        ] {
            let response = await app.answer(
                Request(method: .post, path: "/token", headers: ["content-type": type], body: Array(body.utf8)))
            #expect(response.status == 400, "\(body.prefix(80))")
            #expect(try error(response) == code, "\(body.prefix(80))")
        }
        let get = await app.answer(Request(method: .get, path: "/token", query: "\(grant)&assertion=\(assertion)"))
        #expect(get.status == 405)
    }

    @Test func `a key that is revoked opens nothing more, neither the endpoint nor a call`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app)
        let token = try await backEnd.accessToken()
        #expect(try await ServiceAccounts(database: app.database, clock: .system).revoke(.key(id: backEnd.keyID), in: "demo").count == 1)
        #expect(try error(await backEnd.grant(try backEnd.assertion())) == "invalid_grant")
        let refused = try await backEnd.call(.get, "/v2/projects/demo/config", token: token)
        #expect(refused.status == 401 && refused.error == "Invalid Credentials")
    }

    @Test func `tells a wrong project, a missing right and a missing token apart`() async throws {
        let app = try await TestApp.open()
        let backEnd = try await BackEnd(app, rights: [.sessionCookies])
        let token = try await backEnd.accessToken()
        let config = try await backEnd.call(.get, "/v2/projects/demo/config", token: token)
        #expect(config.status == 403 && config.error?.hasSuffix("does not have the right readUsers.") == true)
        for project in ["other", "nowhere"] {
            let foreign = try await backEnd.call(.post, "/v1/projects/\(project):createSessionCookie", ["idToken": "x"], token: token)
            #expect(foreign.status == 403 && foreign.error?.hasSuffix("belongs to another project.") == true)
        }
        let own = try await backEnd.call(.post, "/v1/projects/demo:createSessionCookie", ["idToken": "x"], token: token)
        #expect(own.error == "INVALID_ID_TOKEN")
        #expect(try await app.post("/v1/projects/demo:createSessionCookie", [:]).error == "Login Required.")
    }

    @Test func `limits how often an address may ask`() async throws {
        let app = try await TestApp(project: "limits: {accessToken: {perAddress: 2 per 1h}}\n")
        let backEnd = try await BackEnd(app)
        for status in [200, 200, 429, 429] {
            let response = await backEnd.grant(try backEnd.assertion())
            #expect(response.status == status)
            #expect((response.headers["retry-after"] != nil) == (status == 429))
        }
    }

    @Test func `custom tokens need their right`() async throws {
        let app = try await TestApp.open()
        let audience: JSON = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        func signIn(_ rights: Set<Administrator.Right>, _ name: String) async throws -> TestApp.Answer {
            let backEnd = try await BackEnd(app, name: name, rights: rights)
            let token = try backEnd.assertion(["aud": audience, "uid": "ada", "scope": nil])
            return try await app.post("signInWithCustomToken", ["token": .string(token)])
        }
        #expect(try await signIn([.customTokens], "signer").status == 200)
        let refused = try await signIn([.readUsers, .manageUsers], "manager")
        #expect(refused.error == "INVALID_CUSTOM_TOKEN : The service account may not sign custom tokens.")
    }
}
