import Config
import JSON
import Text

extension OpenIDConnect {
    init(_ section: Section, allowInsecure: Bool) {
        section.require("issuer", "it is the iss of the provider's ID tokens, exactly")
        self.init(issuer: section.url("issuer", allowInsecure: allowInsecure) ?? "")
        let document = "/.well-known/openid-configuration"
        if issuer.hasSuffix(document) {
            section.fault(
                "issuer", "is the address of the discovery document; write it without \(document), as the document's issuer has it")
        }
        discoveryURL = section.url("discoveryURL", allowInsecure: allowInsecure, allowQuery: true)
        pinnedDocument = Self.endpoints(section, issuer, allowInsecure: allowInsecure)
        allowedHosts = Set(section.values("allowedHosts", expected: "a host such as login.example.com", ProviderSettings.host))
        responseMode = section.choice("responseMode", default: responseMode)
        assertionAudience = section.choice("assertionAudience", default: assertionAudience)
        policy = section.string("policy")
        subjectClaim = section.string("subjectClaim") ?? subjectClaim
        emailTrust = section.choice("emailTrust", default: emailTrust)
        asksForProfile = section.bool("standardScopes", default: asksForProfile)
        asksUserInfo = section.choice("userinfo", default: UserInfo.auto) == .auto
    }

    /// Reads the endpoints of an issuer that publishes no discovery document.
    private static func endpoints(_ section: Section, _ issuer: String, allowInsecure: Bool) -> JSON? {
        let endpoints = section.section("endpoints")
        var document: JSON.Object = ["issuer": .string(issuer)]
        for (key, member) in [
            ("authorization", "authorization_endpoint"), ("jwks", "jwks_uri"), ("token", "token_endpoint"),
            ("userinfo", "userinfo_endpoint"),
        ] as [(String, UTF8Text)] {
            document[member] = endpoints.url(key, allowInsecure: allowInsecure, allowQuery: true).map(JSON.string)
        }
        endpoints.finish()
        guard section.has("endpoints") else { return nil }
        if section.has("discoveryURL") { section.fault("discoveryURL", "cannot stand beside endpoints, which take its place") }
        for key in ["authorization", "jwks"] where !endpoints.has(key) {
            endpoints.fault(key, "is missing; without a discovery document, the entry must name it")
        }
        return .object(document)
    }

    private enum UserInfo: String, CaseIterable { case auto, never }
}
