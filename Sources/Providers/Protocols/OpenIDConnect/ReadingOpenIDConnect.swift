import Config

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
        policy = section.string("policy")
        subjectClaim = section.string("subjectClaim") ?? subjectClaim
        emailTrust = section.choice("emailTrust", default: emailTrust)
        asksUserInfo = section.choice("userinfo", default: UserInfo.auto) == .auto
    }

    private enum UserInfo: String, CaseIterable { case auto, never }
}
