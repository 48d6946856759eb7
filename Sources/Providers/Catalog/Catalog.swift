extension Provider {
    /// Every provider with a file of its own. A new one is a file beside this and a line here; a standard OpenID Connect issuer needs
    /// neither, only an entry `oidc.<name>` in the configuration.
    package static let catalog: [Provider] = [
        .microsoft
    ]
}
