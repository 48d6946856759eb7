import JSON
import TestKit
import Testing
import Text

@testable import Migration

/// The things of a Firebase project beside its accounts.
struct FirebaseSurveyorTests {
    private static let lists = ["defaultSupportedIdpConfigs", "oauthIdpConfigs", "inboundSamlConfigs", "tenants"]
    private static let hashConfig: JSON = [
        "algorithm": "SCRYPT", "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
        "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
    ]

    private static func path(_ list: String) -> String { "/v2/projects/acme-prod/\(list)?pageSize=100" }

    /// A project that has nothing but hash parameters.
    private func plain() throws -> GoogleDouble {
        let google = try GoogleDouble()
        google.answer("/v2/projects/acme-prod/config", ["signIn": ["hashConfig": Self.hashConfig]])
        google.answer("/accounts:query", ["recordsCount": "7"])
        for list in Self.lists { google.answer(Self.path(list), [:]) }
        return google
    }

    private func survey(_ google: GoogleDouble) async throws -> FirebaseSurvey {
        try await FirebaseSurveyor(google.calls, google.attempts).survey()
    }

    @Test func `reads hash parameters, the number of accounts, domains and ways to sign in`() async throws {
        let google = try plain()
        google.answer(
            "/v2/projects/acme-prod/config",
            [
                "signIn": ["hashConfig": Self.hashConfig, "email": ["enabled": true], "phoneNumber": ["enabled": true]],
                "authorizedDomains": ["localhost", "a.example.com"],
            ])
        let survey = try await survey(google)
        #expect(survey.hashes == (try FirebaseSample.parameters()))
        #expect(survey.count == 7 && survey.authorizedDomains == ["localhost", "a.example.com"])
        let methods = try #require(survey.methods)
        #expect(methods.password && methods.emailLink && methods.phone && !methods.anonymous)
        #expect(survey.refusals.isEmpty && survey.providers.isEmpty && survey.tenants.isEmpty)
    }

    @Test func `a link in a mail needs that a password is not required`() {
        let methods = FirebaseSurvey.Methods(["email": ["enabled": true, "passwordRequired": true], "anonymous": ["enabled": true]])
        #expect(methods.password && !methods.emailLink && methods.anonymous && !methods.phone)
    }

    @Test func `reads all pages of providers, but for those that are switched off`() async throws {
        let google = try plain()
        let name: JSON = "projects/p/oauthIdpConfigs/oidc.acme"
        google.answer(
            Self.path("oauthIdpConfigs"),
            [
                "oauthIdpConfigs": [["name": name, "enabled": true, "clientId": "c", "issuer": "https://i", "clientSecret": "s"]],
                "nextPageToken": "2",
            ])
        google.answer(
            Self.path("oauthIdpConfigs") + "&pageToken=2",
            ["oauthIdpConfigs": [["name": "projects/p/oauthIdpConfigs/oidc.off"], ["name": "projects/p/x/oidc.b", "enabled": true]]])
        google.answer(Self.path("inboundSamlConfigs"), ["inboundSamlConfigs": [["name": "projects/p/x/saml.corp", "enabled": true]]])
        let providers = try await survey(google).providers
        #expect(providers.map(\.id) == ["oidc.acme", "oidc.b", "saml.corp"])
        #expect(providers[0].clientID == "c" && providers[0].issuer == "https://i")
    }

    @Test func `reads team, key and apps of Apple, and never the key itself`() throws {
        let code: JSON = ["teamId": "A1B2C3D4E5", "keyId": "K1K2K3K4K5", "privateKey": "-----BEGIN"]
        let apple = try #require(
            FirebaseProvider([
                "name": "projects/p/defaultSupportedIdpConfigs/apple.com", "enabled": true, "clientId": "",
                "appleSignInConfig": ["codeFlowConfig": code, "bundleIds": ["com.example.app", ""]],
            ]))
        #expect(apple.clientID == nil && apple.teamID == "A1B2C3D4E5" && apple.keyID == "K1K2K3K4K5")
        #expect(apple.bundleIDs == ["com.example.app"] && !"\(apple)".contains("BEGIN"))
    }

    @Test func `counts the accounts of each tenant, and knows whether it has a key of its own`() async throws {
        let google = try plain()
        google.answer(Self.path("tenants"), ["tenants": [["name": "projects/p/tenants/t1"], ["name": "projects/p/tenants/t2"]]])
        google.answer("/tenants/t1/accounts:query", ["recordsCount": "3"])
        google.answer("/tenants/t2/accounts:query", ["recordsCount": "0"])
        google.answer("/v2/projects/acme-prod/tenants/t1", ["hashConfig": Self.hashConfig])
        google.answer("/v2/projects/acme-prod/tenants/t2", ["hashConfig": ["signerKey": "b3RoZXI="]])
        let tenants = try await survey(google).tenants
        #expect(tenants.map(\.id) == ["t1", "t2"] && tenants.map(\.count) == [3, 0] && tenants.map(\.hasOwnKey) == [false, true])
    }

    @Test func `tells each thing that Google refuses, and goes on`() async throws {
        let google = try plain()
        for path in ["/v2/projects/acme-prod/config"] + Self.lists.map(Self.path) { google.refuse(path, 403, "PERMISSION_DENIED") }
        google.refuse("/accounts:query", 400, "OPERATION_NOT_ALLOWED : no")
        let survey = try await survey(google)
        #expect(survey.hashes == nil && survey.methods == nil && survey.count == nil)
        let things = [
            "the project's configuration (", "the number of accounts (Google refuses it with OPERATION_NOT_ALLOWED)",
            "the known providers (", "the OpenID Connect providers (", "the SAML providers (", "the tenants (",
        ]
        #expect(survey.refusals.count == things.count)
        for (refusal, thing) in zip(survey.refusals, things) { #expect(refusal.hasPrefix(thing)) }
    }

    @Test func `a configuration without the hash parameters lacks a permission`() async throws {
        let google = try plain()
        google.answer("/v2/projects/acme-prod/config", ["signIn": ["hashConfig": ["algorithm": "SCRYPT"]]])
        let survey = try await survey(google)
        #expect(survey.hashes == nil && survey.refusals.count == 1)
        #expect(survey.refusals[0].contains("firebaseauth.configs.getHashConfig"))
    }

    @Test func `an outage, and credentials that Google does not take, end it`() async throws {
        let google = try plain()
        google.refuse(Self.path("tenants"), 503)
        await #expect(throws: GoogleFailure.self) { try await survey(google) }
        #expect(google.pauses == GoogleAttempts.pauses)
        #expect(google.told.first == "Google's list tenants answered 503 INTERNAL, 1 s" && google.told.count == google.pauses.count)
        let other = try plain()
        other.fixture.upstream.answer("https://oauth2.googleapis.com/token", ["error": "invalid_grant"], status: 400)
        await #expect(throws: GoogleFailure.misconfigured("Google's token endpoint answered 400 invalid_grant")) { try await survey(other) }
    }
}
