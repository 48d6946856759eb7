extension RefusedProvider {
    /// Game Center, whose players prove themselves by a signature that the device gets from Apple.
    /// <https://developer.apple.com/documentation/gamekit/gklocalplayer/fetchitems(foridentityverificationsignature:)>
    static let gameCenter = RefusedProvider(
        id: "gc.apple.com", name: "Game Center",
        reason: "is not supported: this server does not check the signatures of Game Center; use another provider for these people")
}
