/// The rules of one configured OAuth 2.0 provider. Its endpoints come from the entry, since no document names them.
protocol OAuth2Provider: ProviderRules {
    /// The address of the page where the person signs in.
    var authorizationEndpoint: String { get }
    /// The address where a code is redeemed.
    var tokenEndpoint: String { get }
    /// The `iss` of its answers (RFC 9207), by which answers of different providers are told apart; `nil` when it sends none.
    var answerIssuer: String? { get }
}

extension OAuth2Provider {
    var answerIssuer: String? { nil }
}
