import Config
import HTTP
import Identity
import JSON
import Text

extension Provider {
    /// Twitter (now X), by OAuth 1.0a, as Firebase does it, or by OAuth 2.0. The entry's key `protocol` chooses.
    ///
    /// `TwitterOAuth1` and `TwitterOAuth2` say what differs from each standard. People are the same by both.
    static let twitter = Provider(
        id: "twitter.com", name: "Twitter", scopes: ["users.read", "tweet.read", "users.email"], clientAuthentication: .basic,
        hasOwnCallback: true,
        // https://about.x.com/en/who-we-are/brand-toolkit
        button: ButtonStyle(
            mark: mark, light: .init("#ffffff", on: "#000000"), dark: .init("#000000", on: "#ffffff"), saysSignIn: true),
        otherNames: ["x", "x.com"], samples: ["{}", "{protocol: oauth2}"],
        protocol: { Twitter.protocol(of: $0, allowInsecure: $1) })

    /// The X, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" fill-rule="evenodd" d="M1.5 2.5H8L22.5 21.5H16ZM5 4.3L16.9 19.7H19L7.1 4.3Z"/>
        <path fill="none" stroke="currentColor" stroke-width="2" d="M20.9 2.5L13.7 10.7M10.6 14L3.2 21.5"/>
        """#)
}

/// Settings and errors that both protocols of Twitter have in common.
enum Twitter {
    /// The values of the key `protocol`.
    private enum Name: String, CaseIterable { case oauth1, oauth2 }

    static func `protocol`(of section: Section, allowInsecure: Bool) -> SignInProtocol {
        switch section.choice("protocol", default: Name.oauth1) {
        case .oauth1:
            for key in ["consumerKey", "consumerSecret"] where section.has(key) {
                section.fault(key, "needs protocol: oauth2; by OAuth 1.0a, clientId and clientSecret are the consumer keys")
            }
            // Known keys, so that the fault is said once.
            _ = (section.string("consumerKey"), section.secret("consumerSecret"))
            return .oauth1(TwitterOAuth1(section, allowInsecure: allowInsecure))
        case .oauth2: return .oauth2(TwitterOAuth2(section, allowInsecure: allowInsecure))
        }
    }

    /// Where X has its API: at two addresses, of which each protocol's documents name one.
    static func apiBase(_ section: Section, default standard: String, allowInsecure: Bool) -> String {
        section.baseURL("apiBase", default: standard, allowInsecure: allowInsecure)
    }

    /// The same at both addresses of the API and by both protocols, so that an operator can move from one to the other.
    static func storedIssuer(of apiBase: String) -> String { apiBase == "https://api.x.com" ? "https://api.twitter.com" : apiBase }

    /// The person of a profile with the names of API 1.1. A person is identified by the number of the account: a user name can be changed,
    /// and then taken by another person.
    ///
    /// - Parameter text: the profile as apps get it.
    static func identity(of user: JSON, _ text: String, _ evidence: Evidence) throws(ProviderError) -> ProviderIdentity {
        // `id` is the same as a number, which many readers round.
        guard let id = user.text("id_str", limit: 20), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: no number of an account")
        }
        var identity = evidence.identity(subject: id.asString, rawUserInfo: text)
        identity.displayName = user.text("name")?.asString
        identity.screenName = user.text("screen_name")?.asString
        identity.photoURL = user.url("profile_image_url_https")
        // Only for an app that X lets ask for it. Firebase never counts it as verified.
        identity.email = evidence.address(user["email"]?.string)?.asString
        return identity
    }
}
