extension RefusedProvider {
    /// Google Play Games, whose apps get a server code that only Google's games API redeems.
    /// <https://developer.android.com/games/pgs/android/server-access>
    static let playGames = RefusedProvider(
        id: "playgames.google.com", name: "Play Games",
        reason: "is not supported: this server does not redeem the server codes of Google Play Games; use google.com for these people")
}
