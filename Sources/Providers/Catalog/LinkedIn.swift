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
        button: ButtonStyle(mark: mark, light: .init("#ffffff", on: "#0a66c2"), saysSignIn: true),
        protocol: { section, allowInsecure in
            let issuer = section.baseURL("issuer", default: "https://www.linkedin.com/oauth", allowInsecure: allowInsecure)
            let trust = section.choice("emailTrust", default: EmailTrust.never, among: [.never, .claim])
            if section.has("authoritativeDomains") {
                section.fault("authoritativeDomains", "has no place here, since LinkedIn's word about an address joins no account")
            }
            return .openIDConnect(OpenIDConnect(issuer: issuer, takesAssertions: false, emailTrust: trust))
        })

    /// The square with the word in it, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" fill-rule="evenodd" d="
        M2 1H22Q23 1 23 2V22Q23 23 22 23H2Q1 23 1 22V2Q1 1 2 1Z
        M4.5 9.5V19.5H7.8V9.5ZM6.15 4.5A1.9 1.9 0 1 0 6.15 8.3A1.9 1.9 0 1 0 6.15 4.5Z
        M10 9.5V19.5H13.3V14.3C13.3 12.9 13.9 12 15.1 12S16.6 12.9 16.6 14.3V19.5H19.9V13.7C19.9 10.9 18.5 9.3 16.2 9.3
        C14.8 9.3 13.9 9.9 13.2 10.9V9.5Z"/>
        """#)
}
