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
            light: .init("#5e5e5e", on: "#ffffff", border: "#8c8c8c"), dark: .init("#ffffff", on: "#2f2f2f", border: "#8c8c8c"),
            saysSignIn: true),
        protocol: { .openIDConnect(MicrosoftIssuer($0, allowInsecure: $1)) })
}
