import Config
import Runtime

/// A client by OAuth 1.0a beside the entry's own client by OAuth 2.0, for tokens that apps post with their secrets.
///
/// The provider answers to requests that are signed as this client about tokens of this client alone.
struct OAuth1Client: Sendable {
    let rules: any OAuth1Provider
    let key: String
    let secret: Secret
}

extension OAuth1Client {
    /// Reads `consumerKey` and `consumerSecret`; `nil` without them.
    init?(_ section: Section, _ rules: any OAuth1Provider) {
        let (key, secret) = (section.string("consumerKey"), section.secret("consumerSecret"))
        for (one, other) in [("consumerKey", "consumerSecret"), ("consumerSecret", "consumerKey")] where section.has(one) {
            if !section.has(other) { section.fault(other, "is missing; \(one) needs it") }
        }
        guard let key, let secret else { return nil }
        self.init(rules: rules, key: key, secret: secret)
    }
}

extension ProviderAPI {
    /// The same API, whose requests are signed as `client`.
    func signing(as client: OAuth1Client) -> ProviderAPI {
        var api = self
        (api.clientID, api.clientSecret) = (client.key, client.secret)
        return api
    }
}
