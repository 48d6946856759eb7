import Config

extension Provider {
    /// LinkedIn, by OpenID Connect.
    ///
    /// Differs from the standard: its ID tokens have no nonce, and it has no PKCE for a client with a secret, which it refuses with one. So
    /// nothing but the secret and the address binds a code to a sign-in. It says of itself that it does not verify who people are.
    /// <https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2>
    static let linkedIn = Provider(
        id: "linkedin.com", name: "LinkedIn", clientAuthentication: .post, nonceRule: .unsupported, pkce: .off, hasOwnCallback: true,
        // https://brand.linkedin.com
        button: ButtonStyle(light: .init("#ffffff", on: "#0a66c2"), saysSignIn: true),
        protocol: { section, allowInsecure in
            let issuer = section.baseURL("issuer", default: "https://www.linkedin.com/oauth", allowInsecure: allowInsecure)
            let trust = section.choice("emailTrust", default: EmailTrust.never, among: [.never, .claim])
            if section.has("authoritativeDomains") {
                section.fault("authoritativeDomains", "has no place here, since LinkedIn's word about an address joins no account")
            }
            return .openIDConnect(OpenIDConnect(issuer: issuer, takesAssertions: false, emailTrust: trust))
        })
}
