/// The rules of one configured OAuth 2.0 provider. Its endpoints come from the entry, since no document names them.
///
/// A sign-in by redirect ends with an access token. A provider may also have ID tokens, which only its own SDK gets and an app posts
/// (`nativeIssuers`).
protocol OAuth2Provider: ProviderRules {
    var endpoints: OAuth2Endpoints { get }
    /// The `iss` of its answers (RFC 9207), by which answers of different providers are told apart; `nil` when it sends none.
    var answerIssuer: String? { get }
    /// The issuers of the ID tokens that apps get by the provider's own SDK; none where it has no ID tokens at all. They name the same
    /// people as the provider's API does, by the same ids.
    var nativeIssuers: [any Issuer] { get }
    /// The client to which tokens of OAuth 1.0a are issued that apps post; `nil` where none are taken. They name the same people, too.
    var nativeOAuth1: OAuth1Client? { get }
}

/// The addresses of an OAuth 2.0 provider, which are made once, when its entry is read.
struct OAuth2Endpoints: Sendable {
    /// The page where the person signs in.
    let authorization: String
    /// Where a code is redeemed.
    let token: String
}

extension OAuth2Provider {
    var answerIssuer: String? { nil }
    var nativeIssuers: [any Issuer] { [] }
    var nativeOAuth1: OAuth1Client? { nil }
}
