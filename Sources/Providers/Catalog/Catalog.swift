extension Provider {
    /// Every provider with a file of its own. To add one, add a file beside this one and a line here. A standard OpenID Connect issuer
    /// needs neither, only an entry `oidc.<name>` in the configuration.
    package static let catalog: [Provider] = [
        .apple,
        .facebook,
        .gitHub,
        .google,
        .linkedIn,
        .microsoft,
        .twitter,
        .yahoo,
    ]
}

extension RefusedProvider {
    /// Every provider of Firebase that is refused with a reason. Each has a file beside this one, too.
    static let refused: [RefusedProvider] = [
        .gameCenter,
        .playGames,
    ]
}
