import Testing

@testable import Identity

@Suite struct ProfileTextTests {
    @Test(arguments: ["Ada Lovelace", "Zoë", "李小龍", "שלום", "علي", "👩🏽‍🚀 Ada", "a\u{200D}b", ""])
    func `takes names of every script`(text: String) {
        #expect(ProfileText.isFit(text, most: 20))
    }

    @Test(arguments: [
        "\u{0}", "\n", "\u{1F}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}",
        "\u{202E}",
        "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ])
    func `takes no character that changes how the rest is read, and keeps none of a provider's`(character: String) {
        #expect(!ProfileText.isFit("Ada\(character)moc.elpmaxe", most: 256))
        let identity = ProviderIdentity(
            providerID: "oidc.x", issuer: "https://x.example", subject: "1", displayName: "Ada\(character)b", screenName: "\(character)")
        #expect(identity.kept.displayName == "Adab" && identity.kept.screenName == nil)
    }

    @Test func `counts scalars, not what is seen of them`() {
        #expect(ProfileText.isFit(String(repeating: "é", count: 256), most: 256))
        #expect(!ProfileText.isFit(String(repeating: "e\u{301}", count: 129), most: 256))
    }

    @Test(arguments: [
        ("https://example.com/a.png", true), ("HTTP://example.com/a.png", true), ("data:image/png;base64,AA==", true),
        ("Data:Image/gif,x", true),
        ("javascript:alert(1)", false), ("JavaScript://example.com/%0aalert(1)", false), ("data:text/html,x", false), ("data:,x", false),
        ("blob:https://example.com/x", false), ("file:///a.png", false), ("//example.com/a.png", false), ("a.png", false),
        (" https://example.com/a.png", false), ("", false),
    ])
    func `takes as a picture what a page can show and never run`(url: String, isPicture: Bool) {
        #expect(ProfileText.isPicture(url) == isPicture)
        let identity = ProviderIdentity(providerID: "oidc.x", issuer: "https://x.example", subject: "1", photoURL: url)
        #expect((identity.kept.photoURL != nil) == isPicture)
    }
}
