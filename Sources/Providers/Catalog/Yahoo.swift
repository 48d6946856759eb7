import Config

extension Provider {
    /// Yahoo, by OpenID Connect.
    ///
    /// Differs from the standard in little: it signs with keys of two kinds, some of which have names as short as `0`; it answers in the
    /// address alone; the user name is the nickname. Firebase takes its word for the mailboxes that have its name.
    /// <https://developer.yahoo.com/sign-in-with-yahoo>
    static let yahoo = Provider(
        id: "yahoo.com", name: "Yahoo",
        button: ButtonStyle(mark: mark, light: .init("#ffffff", on: "#6001d2"), saysSignIn: true),
        protocol: { section, allowInsecure in
            let issuer = section.baseURL("issuer", default: "https://api.login.yahoo.com", allowInsecure: allowInsecure)
            return .openIDConnect(
                OpenIDConnect(issuer: issuer, takesAssertions: false, userNameClaim: "nickname", ownDomains: ["yahoo.com"]))
        })

    /// The first letter with the exclamation mark, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" d="M0 7.5H4.4L6.9 13.8L9.4 7.5H13.7L7.2 23H2.9L4.7 18.8Z
        M18.3 2H23.2L18.9 12.3H14ZM15.6 14A2.6 2.6 0 1 0 15.6 19.2A2.6 2.6 0 1 0 15.6 14Z"/>
        """#)
}
