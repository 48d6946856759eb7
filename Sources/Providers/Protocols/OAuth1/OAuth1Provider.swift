import JSON
import Text

/// The rules of one configured OAuth 1.0a provider. The addresses of the three steps come from the entry, since no document names them.
/// <https://www.rfc-editor.org/rfc/rfc5849#section-2>
///
/// The rules' `identity` signs its requests with the client's secret, so the provider answers only about an access token that it gave to
/// our client. This is the check of the client that OAuth 2.0 needs `introspect` for.
protocol OAuth1Provider: ProviderRules {
    /// The address that gives a request token, with which a sign-in begins.
    var requestTokenEndpoint: String { get }
    /// The address of the page where the person signs in and approves the request token.
    var authorizationEndpoint: String { get }
    /// The address that gives an access token for an approved request token.
    var accessTokenEndpoint: String { get }

    /// What the provider's answer says that only the operator can mend, as a sentence for the log; `nil` for any other answer. Asked about
    /// every answer to a signed request, before its status is.
    func unfitness(in answer: ProviderAPI.Answer) -> String?
}

extension OAuth1Provider {
    func unfitness(in answer: ProviderAPI.Answer) -> String? { nil }

    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? { nil }
}
