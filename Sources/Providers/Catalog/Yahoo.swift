import Config

extension Provider {
    /// Yahoo, by OpenID Connect.
    ///
    /// Differs from the standard in little: it signs with keys of two kinds, some of which have names as short as `0`; it answers in the
    /// address alone; the user name is the nickname. Firebase takes its word for the mailboxes that have its name.
    /// <https://developer.yahoo.com/sign-in-with-yahoo>
    static let yahoo = Provider(
        id: "yahoo.com", name: "Yahoo", button: ButtonStyle(light: .init("#ffffff", on: "#6001d2"), saysSignIn: true),
        protocol: { section, allowInsecure in
            let issuer = section.baseURL("issuer", default: "https://api.login.yahoo.com", allowInsecure: allowInsecure)
            return .openIDConnect(
                OpenIDConnect(issuer: issuer, takesAssertions: false, userNameClaim: "nickname", ownDomains: ["yahoo.com"]))
        })
}
