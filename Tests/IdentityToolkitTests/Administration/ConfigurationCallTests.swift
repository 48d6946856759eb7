import Accounts
import HTTP
import JSON
import TestApp
import Testing
import Text

/// The configuration of a project, which administrators may read.
@Suite struct ConfigurationCallTests {
    private static let file = """
        signIn: {password: true, emailLink: true, oneAccountPerEmail: false, deletion: false}
        passwordPolicy: {enforcement: enforce, minLength: 8, numeric: true}
        branding: {language: de, name: Acme}
        mail: {from: "Acme Team <no-reply@acme.example>"}
        phone: {enabled: true, regions: [DE, AT], transport: {vonage: {apiKey: k, secret: {env: MASTER_KEY}, from: Acme}}, testNumbers: {"+16505550101": "123456"}}
        providers:
          oidc.b: {name: Beta, issuer: "https://b.example.com", clientId: client-b, clientSecret: {env: MASTER_KEY}}
          oidc.a: {issuer: "https://a.example.com", clientId: client-a, flow: idToken, enabled: false}
          google.com: {clientId: client-g, clientSecret: {env: MASTER_KEY}}
        """

    private func backEnd() async throws -> (BackEnd, String) {
        let backEnd = try await BackEnd(try await TestApp(project: Self.file + "\n"), rights: [.readUsers, .manageUsers])
        return (backEnd, try await backEnd.accessToken())
    }

    @Test func `says what the file says, in the words of the API`() async throws {
        let (backEnd, token) = try await backEnd()
        for prefix in ["", "/admin", "/identitytoolkit.googleapis.com", "/identitytoolkit.googleapis.com/admin"] {
            let answer = try await backEnd.call(.get, "\(prefix)/v2/projects/demo/config", token: token)
            #expect(answer.status == 200)
            let config = answer.json
            #expect(config["name"] == "projects/demo/config")
            #expect(config["signIn"]?["email"] == ["enabled": true, "passwordRequired": false])
            #expect(config["signIn"]?["anonymous"] == ["enabled": false])
            #expect(config["signIn"]?["allowDuplicateEmails"] == true)
            #expect(config["client"]?["permissions"] == ["disabledUserSignup": false, "disabledUserDeletion": true])
            #expect(config["authorizedDomains"] == ["localhost", "app.example.com"])
            #expect(config["notification"]?["defaultLocale"] == "de")
            #expect(config["notification"]?["sendEmail"]?["callbackUri"] == "https://auth.example.com/__/auth/action")
            #expect(config["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
            let policy = config["passwordPolicyConfig"]
            #expect(policy?["passwordPolicyEnforcementState"] == "ENFORCE")
            let options = policy?["passwordPolicyVersions"]?[0]?["customStrengthOptions"]
            #expect(options?["minPasswordLength"] == 8 && options?["containsNumericCharacter"] == true)
            #expect(config["mfa"]?["state"] == "DISABLED" && config["multiTenant"]?["allowTenants"] == false)
        }
    }

    @Test func `shows the phone's settings, and the mails with placeholders in the project's language`() async throws {
        let (backEnd, token) = try await backEnd()
        let config = try await backEnd.call(.get, "/v2/projects/demo/config", token: token).json
        #expect(config["smsRegionConfig"] == ["allowlistOnly": ["allowedRegions": ["AT", "DE"]]])
        #expect(config["recaptchaConfig"] == ["emailPasswordEnforcementState": "OFF", "phoneEnforcementState": "OFF"])
        #expect(config["signIn"]?["phoneNumber"] == ["enabled": true, "testPhoneNumbers": ["+16505550101": "123456"]])
        let mails = config["notification"]?["sendEmail"]
        #expect(mails?["method"] == "DEFAULT")
        let expected = [
            ("resetPasswordTemplate", ["%APP_NAME%", "%LINK%"]), ("verifyEmailTemplate", ["%APP_NAME%", "%LINK%"]),
            ("changeEmailTemplate", ["%APP_NAME%", "%LINK%", "%NEW_EMAIL%"]),
            ("revertSecondFactorAdditionTemplate", ["%APP_NAME%", "%LINK%"]),
        ]
        for (name, placeholders) in expected {
            let mail = mails?[UTF8Text(name)]
            #expect(mail?["bodyFormat"] == "HTML" && mail?["senderDisplayName"] == "Acme Team" && mail?["customized"] == false, "\(name)")
            let text = [mail?["subject"], mail?["body"]].compactMap { $0?.string?.asString }.joined()
            for placeholder in placeholders { #expect(text.contains(placeholder), "\(name) \(placeholder)") }
            #expect(!text.contains("Acme") && text.contains("lang=\"de\""), "\(name)")
        }
    }

    @Test func `shows the providers of any issuer apart from those of the catalogue, and no secret`() async throws {
        let (backEnd, token) = try await backEnd()
        let issuers = try await backEnd.call(.get, "/v2/projects/demo/oauthIdpConfigs", token: token)
        let beta: JSON = [
            "name": "projects/demo/oauthIdpConfigs/oidc.b", "displayName": "Beta", "enabled": true, "clientId": "client-b",
            "issuer": "https://b.example.com", "responseType": ["code": true],
        ]
        #expect(issuers.json["oauthIdpConfigs"]?.array?.map { $0["clientId"]?.string } == ["client-a", "client-b"])
        #expect(issuers.json["oauthIdpConfigs"]?[0]?["enabled"] == false)
        #expect(issuers.json["oauthIdpConfigs"]?[0]?["responseType"] == ["idToken": true])
        #expect(issuers.json["oauthIdpConfigs"]?[1] == beta && issuers.json["nextPageToken"] == nil)
        #expect(try await backEnd.call(.get, "/v2/projects/demo/oauthIdpConfigs/oidc.b", token: token).json == beta)
        let google: JSON = ["name": "projects/demo/defaultSupportedIdpConfigs/google.com", "enabled": true, "clientId": "client-g"]
        let catalogue = try await backEnd.call(.get, "/v2/projects/demo/defaultSupportedIdpConfigs", token: token)
        #expect(catalogue.json == ["defaultSupportedIdpConfigs": [google]])
        #expect(try await backEnd.call(.get, "/v2/projects/demo/defaultSupportedIdpConfigs/google.com", token: token).json == google)
        let saml = try await backEnd.call(.get, "/v2/projects/demo/inboundSamlConfigs", query: "pageSize=100", token: token)
        #expect(saml.json == ["inboundSamlConfigs": []])
        for path in [
            "oauthIdpConfigs/google.com", "oauthIdpConfigs/oidc.c", "inboundSamlConfigs/saml.a", "defaultSupportedIdpConfigs/oidc.b",
        ] {
            let answer = try await backEnd.call(.get, "/v2/projects/demo/\(path)", token: token)
            #expect(answer.status == 404 && answer.error == "CONFIGURATION_NOT_FOUND", "\(path)")
        }
    }

    @Test func `lists in pages`() async throws {
        let (backEnd, token) = try await backEnd()
        func page(_ query: String) async throws -> TestApp.Answer {
            try await backEnd.call(.get, "/v2/projects/demo/oauthIdpConfigs", query: query, token: token)
        }
        let first = try await page("pageSize=1")
        #expect(first.json["oauthIdpConfigs"]?.array?.count == 1 && first.text("nextPageToken") == "oidc.a")
        let second = try await page("pageSize=1&pageToken=oidc.a")
        #expect(second.json["oauthIdpConfigs"]?[0]?["clientId"] == "client-b" && second.json["nextPageToken"] == nil)
        #expect(try await page("pageToken=oidc.b").json == ["oauthIdpConfigs": []])
        for query in ["pageSize=0", "pageSize=1000", "pageToken="] {
            #expect(try await page(query).json["oauthIdpConfigs"]?.array?.count == 2, "\(query)")
        }
        #expect(try await page("pageSize=-1").status == 400)
        #expect(try await page("pageSize=many").status == 400)
    }

    @Test func `a project without tenants refuses every call about them`() async throws {
        let (backEnd, token) = try await backEnd()
        let calls: [(HTTP.Method, String)] = [
            (.get, "/v2/projects/demo/tenants"), (.post, "/v2/projects/demo/tenants"), (.get, "/v2/projects/demo/tenants/t"),
            (.patch, "/v2/projects/demo/tenants/t"), (.delete, "/v2/projects/demo/tenants/t"),
            (.post, "/v2/projects/demo/tenants/t/oauthIdpConfigs"), (.get, "/v2/projects/demo/tenants/t/inboundSamlConfigs/saml.a"),
            (.post, "/v1/projects/demo/tenants/t/accounts"), (.post, "/v1/projects/demo/tenants/t/accounts:lookup"),
            (.get, "/v1/projects/demo/tenants/t/accounts:batchGet"), (.post, "/v1/projects/demo/tenants/t:createSessionCookie"),
            (.get, "/identitytoolkit.googleapis.com/v2/projects/demo/tenants/t"),
        ]
        for (method, path) in calls {
            let answer = try await backEnd.call(method, path, token: token)
            // The call that makes one says which file to write.
            let makes = method == .post && path.hasSuffix("/tenants")
            let code = makes ? "OPERATION_NOT_ALLOWED : The tenants of this project are files" : "UNSUPPORTED_TENANT_OPERATION"
            #expect(answer.error?.hasPrefix(code) == true, "\(method) \(path) \(answer.error ?? "")")
        }
    }

    @Test func `asks for an access token before anything else`() async throws {
        let app = try await TestApp.open()
        for path in [
            "config", "oauthIdpConfigs", "inboundSamlConfigs", "defaultSupportedIdpConfigs", "tenants", "tenants/t/oauthIdpConfigs/x",
        ] {
            let request = Request(method: .get, path: "/v2/projects/demo/\(path)", query: "key=key")
            #expect(await app.answer(request).status == 401, "\(path)")
        }
    }
}
