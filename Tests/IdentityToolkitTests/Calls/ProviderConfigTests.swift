import HTTP
import JSON
import ProjectSettings
import Projects
import TestApp
import TestKit
import Testing
import Text

/// Providers that calls of administrators make in development mode: they are read back as they were written, nothing else changes, and people of
/// them are made up as before.
@Suite struct ProviderConfigTests {
    private static let file = """
        signIn: {password: true}
        dynamicTenants: true
        providers:
          oidc.file: {issuer: "https://file.example.com", clientId: of-file, clientSecret: {env: MASTER_KEY}}
        """

    private func app() async throws -> TestApp { try await TestApp(project: Self.file + "\n", development: true) }

    private func call(
        _ app: TestApp, _ method: HTTP.Method, _ path: String, _ query: String = "", _ body: JSON? = nil, project: String = "demo"
    ) async throws -> TestApp.Answer {
        let owner = [("authorization", "Bearer owner")]
        let response = await app.answer(try .ofThisMachine(method, "/v2/projects/\(project)/\(path)", query, owner, body: body))
        return TestApp.Answer(status: response.status, json: try JSON.parse(response.body, limits: JSON.Limits(bytes: 1 << 20)))
    }

    private static let issuer: JSON = [
        "displayName": "X", "enabled": true, "clientId": "client-x", "issuer": "https://x.example.com", "clientSecret": "hidden",
        "responseType": ["code": true],
    ]

    private func create(_ app: TestApp, _ id: String, _ body: JSON = Self.issuer, in realm: String = "") async throws -> TestApp.Answer {
        try await call(app, .post, "\(realm)oauthIdpConfigs", (["oauthIdpConfigId": UTF8Text(id)] as Form).encoded(), body)
    }

    @Test func `makes, shows, changes and deletes a provider by OpenID Connect`() async throws {
        let app = try await app()
        let made = try await create(app, "oidc.x")
        let expected: JSON = [
            "name": "projects/demo/oauthIdpConfigs/oidc.x", "displayName": "X", "enabled": true, "clientId": "client-x",
            "issuer": "https://x.example.com", "responseType": ["code": true],
        ]
        #expect(made.status == 200 && made.json == expected, "\(made.error ?? "")")
        #expect(try await call(app, .get, "oauthIdpConfigs/oidc.x").json == expected)
        let listed = try await call(app, .get, "oauthIdpConfigs").json["oauthIdpConfigs"]?.array
        #expect(listed?.map { $0["clientId"]?.string } == ["of-file", "client-x"])
        let changed = try await call(
            app, .patch, "oauthIdpConfigs/oidc.x", "updateMask=displayName,responseType.idToken",
            ["displayName": "Y", "clientId": "not-named", "responseType": ["idToken": true]])
        #expect(changed.json["displayName"] == "Y" && changed.json["clientId"] == "client-x", "\(changed.error ?? "")")
        #expect(changed.json["responseType"] == ["idToken": true])
        let cleared = try await call(app, .patch, "oauthIdpConfigs/oidc.x", "updateMask=clientId", [:])
        #expect(cleared.error == "MISSING_OAUTH_CLIENT_ID")
        #expect(try await call(app, .delete, "oauthIdpConfigs/oidc.x").json == [:])
        for method in [HTTP.Method.get, .patch, .delete] {
            let gone = try await call(app, method, "oauthIdpConfigs/oidc.x", "", method == .patch ? [:] : nil)
            #expect(gone.status == 404 && gone.error == "CONFIGURATION_NOT_FOUND", "\(method)")
        }
    }

    @Test func `makes, shows, changes and deletes a provider of the catalogue`() async throws {
        let app = try await app()
        let made = try await call(
            app, .post, "defaultSupportedIdpConfigs", "idpId=google.com", ["clientId": "g", "clientSecret": "hidden", "enabled": true])
        let expected: JSON = ["name": "projects/demo/defaultSupportedIdpConfigs/google.com", "enabled": true, "clientId": "g"]
        #expect(made.json == expected, "\(made.error ?? "")")
        #expect(try await call(app, .get, "defaultSupportedIdpConfigs").json == ["defaultSupportedIdpConfigs": [expected]])
        let changed = try await call(app, .patch, "defaultSupportedIdpConfigs/google.com", "updateMask=enabled", ["enabled": false])
        #expect(changed.json["enabled"] == false && changed.json["clientId"] == "g")
        #expect(try await call(app, .get, "oauthIdpConfigs/google.com").status == 404)
        #expect(try await call(app, .delete, "defaultSupportedIdpConfigs/google.com").json == [:])
        #expect(try await call(app, .get, "defaultSupportedIdpConfigs").json == ["defaultSupportedIdpConfigs": []])
    }

    private static func with(_ changes: JSON.Object) -> JSON {
        var body = issuer.object ?? [:]
        for member in changes { body[member.name] = member.value.isNull ? .none : member.value }
        return .object(body)
    }

    @Test func `refuses what Identity Platform refuses`() async throws {
        let app = try await app()
        _ = try await create(app, "oidc.x")
        let table: [(id: String, changes: JSON.Object, error: String)] = [
            ("", [:], "MISSING_CONFIG_ID"), ("google.com", [:], "INVALID_CONFIG_ID"), ("oidc.", [:], "INVALID_CONFIG_ID"),
            ("oidc.UPPER", [:], "INVALID_CONFIG_ID"), ("saml.a", [:], "INVALID_CONFIG_ID"), ("oidc.x", [:], "CONFIGURATION_EXISTS"),
            ("oidc.file", [:], "CONFIGURATION_EXISTS"), ("oidc.y", ["clientId": nil], "MISSING_OAUTH_CLIENT_ID"),
            ("oidc.y", ["clientId": ""], "MISSING_OAUTH_CLIENT_ID"), ("oidc.y", ["clientId": "a\nb"], "INVALID_OAUTH_CLIENT_ID"),
            ("oidc.y", ["issuer": nil], "MISSING_ISSUER"), ("oidc.y", ["issuer": "x"], "INVALID_CONFIG"),
            ("oidc.y", ["issuer": "http://x.example.com"], "INVALID_CONFIG"),
            ("oidc.y", ["issuer": "https://x.example.com?q"], "INVALID_CONFIG"),
            ("oidc.y", ["displayName": ""], "INVALID_DISPLAY_NAME"), ("oidc.y", ["displayName": "a\u{1B}b"], "INVALID_DISPLAY_NAME"),
            ("oidc.y", ["responseType": ["code": true, "idToken": true]], "INVALID_CONFIG"),
            ("oidc.y", ["clientSecret": nil], "MISSING_OAUTH_CLIENT_SECRET"),
        ]
        for (id, changes, error) in table {
            let answer = try await create(app, id, Self.with(changes))
            #expect(answer.status == 400 && answer.error?.hasPrefix(error) == true, "\(id) \(changes): \(answer.error ?? "")")
        }
        for (query, error) in [("", "MISSING_CONFIG_ID"), ("idpId=oidc.x", "INVALID_PROVIDER_ID"), ("idpId=x", "INVALID_PROVIDER_ID")] {
            let answer = try await call(app, .post, "defaultSupportedIdpConfigs", query, ["clientId": "g"])
            #expect(answer.error?.hasPrefix(error) == true, "\(query)")
        }
        for method in [HTTP.Method.patch, .delete] {
            let answer = try await call(app, method, "oauthIdpConfigs/oidc.file", "", method == .patch ? ["enabled": false] : nil)
            #expect(answer.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true && answer.error?.contains("demo.yaml") == true)
        }
        #expect(
            try await call(app, .post, "inboundSamlConfigs", "", [:]).error?.hasPrefix("OPERATION_NOT_ALLOWED : Providers by SAML") == true)
        #expect(try await call(app, .get, "oauthIdpConfigs").json["oauthIdpConfigs"]?.array?.count == 2)
    }

    @Test func `keeps those of a project and of each tenant apart`() async throws {
        let app = try await app()
        let tenant = try await call(app, .post, "tenants", "", ["displayName": "one"])
        let id = try #require(tenant.text("name").split(separator: "/").last.map(String.init), "\(tenant.error ?? "")")
        let made = try await create(app, "oidc.x", in: "tenants/\(id)/")
        #expect(made.json["name"]?.string == "projects/demo/tenants/\(id)/oauthIdpConfigs/oidc.x", "\(made.error ?? "")")
        #expect(try await call(app, .get, "oauthIdpConfigs/oidc.x").status == 404)
        _ = try await call(app, .patch, "tenants/\(id)", "", ["displayName": "two"])
        #expect(try await call(app, .get, "tenants/\(id)/oauthIdpConfigs/oidc.x").status == 200)
        #expect(try await call(app, .get, "oauthIdpConfigs/oidc.x", project: "elsewhere").status == 404)
    }

    @Test func `people of such a provider are made up, unless it is switched off`() async throws {
        let app = try await app()
        func signIn(_ provider: String) async throws -> TestApp.Answer {
            let fields: Form = ["providerId": UTF8Text(provider), "id_token": #"{"sub":"ada","email":"a@b.example"}"#]
            let body: JSON = ["requestUri": "http://localhost", "postBody": .string(UTF8Text(fields.encoded()))]
            let response = await app.answer(try .ofThisMachine(.post, "/v1/accounts:signInWithIdp", "key=key", body: body))
            return TestApp.Answer(status: response.status, json: try JSON.parse(response.body))
        }
        for enabled in [true, false, true] {
            _ = try await call(app, .delete, "oauthIdpConfigs/oidc.x")
            _ = try await create(app, "oidc.x", Self.with(["enabled": .bool(enabled)]))
            let answer = try await signIn("oidc.x")
            #expect(answer.status == (enabled ? 200 : 400), "\(answer.error ?? "")")
            let uri: JSON = ["providerId": "oidc.x", "continueUri": "http://localhost/"]
            let begun = await app.answer(try .ofThisMachine(.post, "/v1/accounts:createAuthUri", "key=key", body: uri))
            #expect(begun.status == (enabled ? 200 : 400))
        }
    }

    @Test func `takes the named fields alone, of every write`() async throws {
        let app = try await app()
        _ = try await create(app, "oidc.x")
        let before = try await state(app)
        let hostile: JSON.Object = [
            "name": "projects/other/oauthIdpConfigs/oidc.x", "id": "oidc.z", "hasSecret": true, "tenant": "t", "apiKeys": ["stolen"],
            "authorizedDomains": ["evil.example"], "__proto__": ["enabled": true], "project": "other", "allowPasswordSignup": false,
            "client": ["permissions": ["disabledUserSignup": true]], "passwordPolicyConfig": ["passwordPolicyEnforcementState": "OFF"],
            "subtype": "FIREBASE_AUTH", "quota": ["signUpQuotaConfig": ["quota": "0"]], "hashConfig": ["algorithm": "MD5"],
            "multiTenant": ["allowTenants": false], "appleSignInConfig": ["bundleIds": ["x"]],
        ]
        let writes: [(HTTP.Method, String, String)] = [
            (.patch, "config", ""), (.patch, "oauthIdpConfigs/oidc.x", ""), (.patch, "oauthIdpConfigs/oidc.file", ""),
            (.post, "oauthIdpConfigs", "oauthIdpConfigId=oidc.x"), (.post, "defaultSupportedIdpConfigs", "idpId=google.com"),
            (.patch, "defaultSupportedIdpConfigs/google.com", ""), (.post, "inboundSamlConfigs", ""),
            (.patch, "inboundSamlConfigs/saml.a", ""),
        ]
        for (method, path, query) in writes {
            for mask in ["", "updateMask=name,apiKeys,authorizedDomains,hashConfig.algorithm"] {
                let query = [query, mask].filter { !$0.isEmpty }.joined(separator: "&")
                let answer = try await call(app, method, path, query, .object(hostile))
                #expect(answer.status != 500, "\(path)")
                for member in hostile {
                    _ = try await call(app, method, path, query, .object([member.name: member.value]))
                }
            }
        }
        #expect(try await state(app) == before)
    }

    /// Everything that the calls above could have changed.
    private func state(_ app: TestApp) async throws -> [JSON] {
        var state: [JSON] = []
        for project in ["demo", "elsewhere"] {
            for path in ["config", "oauthIdpConfigs", "defaultSupportedIdpConfigs", "tenants"] {
                state.append(try await call(app, .get, path, project: project).json)
            }
        }
        let other = app.projects.current.project(id: "other")
        return state + [.array((other?.settings.apiKeys ?? []).map { JSON.string($0) })]
    }
}
