import Accounts
import HTTP
import JSON
import TestApp
import TestKit
import Testing
import Text

/// Writes of a project's configuration outside of development mode: the file alone changes it, and the answer says how.
@Suite struct ConfigurationRefusalTests {
    private static let file = """
        signIn: {password: true}
        providers:
          oidc.a: {issuer: "https://a.example.com", clientId: client-a, enabled: false, clientSecret: {env: MASTER_KEY}}
        """

    private func backEnd(_ rights: Set<Administrator.Right> = [.readUsers, .manageUsers]) async throws -> (BackEnd, String) {
        let backEnd = try await BackEnd(try await TestApp(project: Self.file + "\n"), rights: rights)
        return (backEnd, try await backEnd.accessToken())
    }

    private static let writes: [(HTTP.Method, String)] = [
        (.patch, "config"), (.post, "oauthIdpConfigs"), (.patch, "oauthIdpConfigs/oidc.a"), (.delete, "oauthIdpConfigs/oidc.a"),
        (.post, "defaultSupportedIdpConfigs"), (.patch, "defaultSupportedIdpConfigs/google.com"),
        (.delete, "defaultSupportedIdpConfigs/google.com"),
    ]

    @Test func `refuses every change, and names the file`() async throws {
        let (backEnd, token) = try await backEnd()
        for (method, path) in Self.writes {
            for prefix in ["", "/admin", "/identitytoolkit.googleapis.com"] {
                let answer = try await backEnd.call(
                    method, "\(prefix)/v2/projects/demo/\(path)", query: "updateMask=enabled", ["enabled": false], token: token)
                #expect(answer.status == 400, "\(path)")
                #expect(answer.error?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true, "\(path) \(answer.error ?? "")")
                #expect(answer.error?.contains("demo.yaml") == true)
                #expect(answer.error?.contains("/demo.yaml") == false, "the folder is the operator's alone")
            }
        }
        for (method, path) in [(HTTP.Method.post, ""), (.patch, "/saml.a"), (.delete, "/saml.a")] {
            let answer = try await backEnd.call(method, "/v2/projects/demo/inboundSamlConfigs\(path)", token: token)
            #expect(answer.status == 400 && answer.error?.hasPrefix("OPERATION_NOT_ALLOWED : Providers by SAML") == true)
        }
    }

    @Test func `takes a write from administrators alone who may change the project`() async throws {
        let (backEnd, token) = try await backEnd([.readUsers])
        for (method, path) in Self.writes {
            let answer = try await backEnd.call(method, "/v2/projects/demo/\(path)", token: token)
            #expect(answer.status == 403, "\(path)")
        }
    }

    @Test func `says which lines to write for the settings of a project`() async throws {
        let (backEnd, token) = try await backEnd()
        let table: [(JSON, String)] = [
            (["signIn": ["email": ["enabled": true, "passwordRequired": false]]], "signIn: {password: true, emailLink: true}"),
            (
                ["signIn": ["anonymous": ["enabled": false], "allowDuplicateEmails": true]],
                "signIn: {anonymous: false, oneAccountPerEmail: false}"
            ),
            (
                ["mfa": ["state": "MANDATORY", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [["totpProviderConfig": [:]]]]],
                "mfa: {state: mandatory, sms: true, totp: {enabled: true}}"
            ),
            (["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]], "emailEnumerationProtection: true"),
            (["client": ["permissions": ["disabledUserSignup": true]]], "signIn: {signUp: false}"),
            (
                [
                    "passwordPolicyConfig": [
                        "passwordPolicyEnforcementState": "ENFORCE",
                        "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 9, "containsNumericCharacter": true]]],
                    ]
                ], "passwordPolicy: {enforcement: enforce, minLength: 9, numeric: true}"
            ),
            (["authorizedDomains": ["app.example.com"]], "authorizedDomains: [\"app.example.com\"]"),
            (["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["DE"]]]], "phone: {regions: [\"DE\"]}"),
            (
                ["signIn": ["phoneNumber": ["enabled": true, "testPhoneNumbers": ["+16505550101": "123456"]]]],
                "phone: {enabled: true, testNumbers: {\"+16505550101\": \"123456\"}}"
            ),
            (["multiTenant": ["allowTenants": true], "subtype": "x"], "dynamicTenants: true"),
        ]
        for (body, lines) in table {
            let answer = try await backEnd.call(.patch, "/v2/projects/demo/config", body, token: token)
            #expect(answer.status == 400 && answer.error?.hasSuffix(" The lines for it: \(lines)") == true, "\(answer.error ?? "")")
        }
        let unknown = try await backEnd.call(.patch, "/v2/projects/demo/config", ["quota": ["x": 1]], token: token)
        #expect(unknown.error?.hasSuffix("run gatehouse reload.") == true)
    }

    @Test func `says which entry to write for a provider, without its secret`() async throws {
        let (backEnd, token) = try await backEnd()
        let body: JSON = ["issuer": "https://x.example.com", "clientId": "client-x", "clientSecret": "hidden", "enabled": true]
        let created = try await backEnd.call(
            .post, "/v2/projects/demo/oauthIdpConfigs", query: "oauthIdpConfigId=oidc.x", body, token: token)
        let entry = "{oidc.x: {issuer: \"https://x.example.com\", clientId: \"client-x\", clientSecret: {env: OIDC_X_SECRET}}}"
        #expect(created.error?.hasSuffix("The lines for it: providers: \(entry)") == true, "\(created.error ?? "")")
        #expect(created.error?.contains("hidden") == false)
        let google = try await backEnd.call(
            .post, "/v2/projects/demo/defaultSupportedIdpConfigs", query: "idpId=google.com", ["clientId": "g"], token: token)
        #expect(google.error?.contains("providers: {google.com: {clientId: \"g\", clientSecret: {env: GOOGLE_COM_SECRET}}}") == true)
        let changed = try await backEnd.call(.patch, "/v2/projects/demo/oauthIdpConfigs/oidc.a", ["enabled": false], token: token)
        #expect(changed.error?.contains("enabled: false}}") == true, "\(changed.error ?? "")")
    }

    @Test func `shows no value of a call that is not plain`() async throws {
        let (backEnd, token) = try await backEnd()
        for text in HostileText.all {
            let hostile = JSON.string(text)
            let bodies: [JSON] = [
                ["authorizedDomains": [hostile]], ["notification": ["defaultLocale": hostile, "sendEmail": ["callbackUri": hostile]]],
                ["signIn": ["phoneNumber": ["testPhoneNumbers": .object([text: hostile])]]],
                ["smsRegionConfig": ["allowlistOnly": ["allowedRegions": [hostile]]]], ["mfa": ["other": hostile]],
                .object([text: hostile]),
            ]
            for body in bodies {
                let answer = try await backEnd.call(.patch, "/v2/projects/demo/config", body, token: token)
                #expect(answer.status == 400 && HostileText.isInert(answer.error ?? ""), "\(answer.error ?? "")")
            }
            let provider: JSON = ["issuer": hostile, "clientId": hostile, "clientSecret": hostile, "displayName": hostile]
            for id in ["oidc.x", text.asString] {
                let query = (["oauthIdpConfigId": UTF8Text(id)] as Form).encoded()
                let answer = try await backEnd.call(.post, "/v2/projects/demo/oauthIdpConfigs", query: query, provider, token: token)
                #expect(answer.status == 400 && HostileText.isInert(answer.error ?? ""), "\(answer.error ?? "")")
            }
        }
    }
}
