import Config
import HTTP
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
        allowedHosts = Set(section.values("allowedHosts", expected: "a host such as login.example.com", ProviderSettings.host))
        pinnedMetadata = endpoints(section, allowInsecure: allowInsecure)
        lacksTokenEndpoint = section.has("endpoints") && !section.section("endpoints").has("token")
        responseMode = section.choice("responseMode", default: responseMode)
        assertionAudience = section.choice("assertionAudience", default: assertionAudience)
        policy = section.string("policy")
        subjectClaim = section.string("subjectClaim") ?? subjectClaim
        emailTrust = section.choice("emailTrust", default: emailTrust)
        if emailTrust == .never, section.has("authoritativeDomains") {
            section.fault(
                "authoritativeDomains", "has no effect with emailTrust: never, since an address that is not verified joins no account")
        }
        asksForProfile = section.bool("standardScopes", default: asksForProfile)
        asksUserInfo = section.choice("userinfo", default: UserInfo.auto) == .auto
    }

    /// Reads the endpoints of an issuer that publishes no discovery document.
    private func endpoints(_ section: Section, allowInsecure: Bool) -> ProviderMetadata? {
        let endpoints = section.section("endpoints")
        var document: JSON.Object = ["issuer": .string(issuer)]
        for (key, member) in [
            ("authorization", "authorization_endpoint"), ("jwks", "jwks_uri"), ("token", "token_endpoint"),
            ("userinfo", "userinfo_endpoint"),
        ] as [(String, UTF8Text)] {
            guard let url = endpoints.url(key, allowInsecure: allowInsecure, allowQuery: true) else { continue }
            document[member] = .string(url)
            if let host = URI.parse(url)?.host, !mayHaveEndpoints(at: host) {
                endpoints.fault(key, "is on \(host), which is neither the issuer's host nor in allowedHosts")
            }
        }
        endpoints.finish()
        guard section.has("endpoints") else { return nil }
        if section.has("discoveryURL") { section.fault("discoveryURL", "cannot stand beside endpoints, which take its place") }
        let missing = ["authorization", "jwks"].filter { !endpoints.has($0) }
        for key in missing { endpoints.fault(key, "is missing; without a discovery document, the entry must name it") }
        let isRead = document["authorization_endpoint"] != nil && document["jwks_uri"] != nil
        return isRead ? section.metadata(pinning: .object(document)) : nil
    }

    private enum UserInfo: String, CaseIterable { case auto, never }
}
