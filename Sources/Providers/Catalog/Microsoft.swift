extension Provider {
    /// Microsoft Entra ID and private Microsoft accounts, by OpenID Connect.
    ///
    /// Strays: many issuers behind one address, see `MicrosoftIssuer`; names come from Graph, which `User.Read` opens; the document lists no
    /// PKCE, which works all the same. <https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc>
    static let microsoft = Provider(
        id: "microsoft.com",
        name: "Microsoft",
        scopes: ["openid", "profile", "email", "User.Read"],
        clientAuthentication: .post,
        issuer: { MicrosoftIssuer($0, allowInsecure: $1) })
}
