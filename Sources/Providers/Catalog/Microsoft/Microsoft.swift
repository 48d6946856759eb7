extension Provider {
    /// Microsoft Entra ID and private Microsoft accounts, by OpenID Connect.
    ///
    /// Differs from the standard: many issuers behind one address, see `MicrosoftIssuer`; names come from Graph, which needs `User.Read`;
    /// the discovery document lists no PKCE, although it works. <https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc>
    static let microsoft = Provider(
        id: "microsoft.com",
        name: "Microsoft",
        scopes: ["openid", "profile", "email", "User.Read"],
        clientAuthentication: .post,
        // https://learn.microsoft.com/entra/identity-platform/howto-add-branding-in-apps
        button: ButtonStyle(
            mark: mark, light: .init("#5e5e5e", on: "#ffffff", border: "#8c8c8c"),
            dark: .init("#ffffff", on: "#2f2f2f", border: "#8c8c8c"),
            saysSignIn: true),
        protocol: { .openIDConnect(MicrosoftIssuer($0, allowInsecure: $1)) })

    /// The four squares in their colours.
    private static let mark = ProviderMark(
        #"""
        <path d="M1 1h10.5v10.5H1z" fill="#f25022"/><path d="M12.5 1H23v10.5H12.5z" fill="#7fba00"/>
        <path d="M1 12.5h10.5V23H1z" fill="#00a4ef"/><path d="M12.5 12.5H23V23H12.5z" fill="#ffb900"/>
        """#)
}
