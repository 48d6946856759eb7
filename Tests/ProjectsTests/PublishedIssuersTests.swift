import JOSE
import JSON
import ProjectSettings
import Testing

import Text
@testable import Projects

/// The addresses and documents of a project's OpenID provider.
@Suite struct PublishedIssuersTests {
    private static let directory = "775527ff-9a37-4307-8b3d-cc311f58d925"

    private static var settings: ProjectSettings {
        var settings = ProjectSettings(id: "acme", number: 7, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        var provider = ProjectSettings.OpenIDProvider()
        provider.directoryID = directory
        provider.userFlows = UserFlow.IssuerStyle.allCases.map { style in
            var flow = UserFlow(name: "b2c_1_\(style.rawValue)", kind: .signIn)
            flow.issuer = style
            return flow
        }
        settings.openIDProvider = provider
        return settings
    }

    private func issuers(_ settings: ProjectSettings = Self.settings) throws -> PublishedIssuers {
        try #require(PublishedIssuers(settings, publicURL: ReadProject.publicURL, languages: ["de", "en"]))
    }

    /// Issuer, endpoints' base, userinfo and keys.
    private static let shapes: [(flow: UTF8Text?, issuer: String, endpoints: String, userInfo: String, keys: String)] = [
        (nil, "/acme", "/acme/oauth2", "/acme/oauth2/userinfo", "/acme/oauth2/jwks"),
        (
            "b2c_1_policy", "/acme/b2c_1_policy/v2.0", "/acme/b2c_1_policy/oauth2/v2.0", "/acme/b2c_1_policy/openid/v2.0/userinfo",
            "/acme/b2c_1_policy/discovery/v2.0/keys"
        ),
        (
            "b2c_1_tfp", "/tfp/\(directory)/b2c_1_tfp/v2.0/", "/acme/b2c_1_tfp/oauth2/v2.0", "/acme/b2c_1_tfp/openid/v2.0/userinfo",
            "/acme/b2c_1_tfp/discovery/v2.0/keys"
        ),
        (
            "b2c_1_default", "/\(directory)/v2.0/", "/acme/b2c_1_default/oauth2/v2.0", "/acme/b2c_1_default/openid/v2.0/userinfo",
            "/acme/b2c_1_default/discovery/v2.0/keys"
        ),
    ]

    @Test(arguments: shapes.indices) func `SEC-07 has the same addresses in its documents, all of the configured one`(_ index: Int) throws {
        let shape = Self.shapes[index]
        let issuers = try issuers()
        let issuer = try #require(shape.flow.map { issuers.issuer(ofUserFlow: $0) } ?? issuers.native)
        let (host, endpoints) = ("https://auth.example.com", "https://auth.example.com" + shape.endpoints)
        let addresses = [
            ("issuer", issuer.urls.issuer, host + shape.issuer),
            ("authorization_endpoint", issuer.urls.authorization, endpoints + "/authorize"),
            ("token_endpoint", issuer.urls.token, endpoints + "/token"),
            ("introspection_endpoint", issuer.urls.introspection, endpoints + "/introspect"),
            ("revocation_endpoint", issuer.urls.revocation, endpoints + "/revoke"),
            ("end_session_endpoint", issuer.urls.endSession, endpoints + "/logout"),
            ("pushed_authorization_request_endpoint", issuer.urls.pushedRequests, endpoints + "/par"),
            ("userinfo_endpoint", issuer.urls.userInfo, host + shape.userInfo),
            ("jwks_uri", issuer.urls.keys, host + shape.keys),
        ]
        let document = try JSON.parse(issuer.document)
        for (name, made, expected) in addresses {
            #expect(made == expected, "\(name)")
            #expect(document[UTF8Text(name)]?.string == UTF8Text(expected), "\(name)")
        }
        #expect(issuer.urls.endSessionPath == shape.endpoints + "/logout")
        #expect(issuer.userFlow?.name == shape.flow?.asString)
    }

    @Test func `names the project's id in the issuer where there is no directory id`() throws {
        var settings = Self.settings
        settings.openIDProvider?.directoryID = nil
        let issuers = try issuers(settings)
        #expect(
            Set(issuers.flowIssuers)
                == Set(["/acme/b2c_1_policy/v2.0", "/tfp/acme/b2c_1_tfp/v2.0/", "/acme/v2.0/"].map { ReadProject.publicURL + $0 }))
    }

    @Test func `finds a user flow by its name in any case of ASCII letters`() throws {
        let issuers = try issuers()
        #expect(issuers.issuer(ofUserFlow: "B2C_1_Policy")?.userFlow?.name == "b2c_1_policy")
        for name: UTF8Text in ["", "b2c_1_policy2", "b2c_1_pol\u{130}cy", "b2c_1_polıcy"] {
            #expect(issuers.issuer(ofUserFlow: name) == nil, "\(name)")
        }
        #expect(issuers.flowIssuers.count == 3)
    }

    @Test func `is there for an OpenID provider alone`() throws {
        var settings = Self.settings
        settings.openIDProvider = nil
        #expect(PublishedIssuers(settings, publicURL: ReadProject.publicURL, languages: ["en"]) == nil)
    }

    @Test func `a document has the members that clients need, and no null`() throws {
        let issuers = try issuers()
        let flow = try #require(issuers.issuer(ofUserFlow: "b2c_1_tfp"))
        for (issuer, own) in [(issuers.native, "firebase"), (flow, "tfp")] as [(PublishedIssuers.Issuer, JSON)] {
            let document = try JSON.parse(issuer.document)
            #expect(document["request_uri_parameter_supported"] == false)
            #expect(document["id_token_signing_alg_values_supported"] == ["RS256"])
            #expect(document["ui_locales_supported"] == ["de", "en"])
            #expect(document.object?.allSatisfy { !$0.value.isNull && $0.name != "error" } == true)
            // Only one of the two shapes has each of these claims.
            let claims = try #require(document["claims_supported"]?.array)
            #expect(claims.filter { $0 == "firebase" || $0 == "tfp" } == [own])
        }
    }

    @Test func `the tokens of apps with their own algorithm stand in the document, too`() throws {
        var settings = Self.settings
        settings.tokens.algorithm = .es256
        #expect(try JSON.parse(try issuers(settings).native.document)["id_token_signing_alg_values_supported"] == ["RS256", "ES256"])
    }

    @Test func `its pages have paths without a host`() {
        #expect(IssuerPaths.signIn("acme", request: "r1") == "/acme/sign-in?request=r1")
        #expect(IssuerPaths.signInReturn("acme") == "/acme/sign-in/return")
        #expect(IssuerPaths.resume("acme", request: "r1") == "/acme/oauth2/resume?request=r1")
    }
}
