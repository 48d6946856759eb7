import JSON
import Text

/// The rules of one configured OAuth 1.0a provider. The addresses of the three steps come from the entry, since no document names them.
/// <https://www.rfc-editor.org/rfc/rfc5849#section-2>
///
/// The rules' `identity` signs its requests with the client's secret, so the provider answers only about an access token that it gave to
/// our client. This is the check of the client that OAuth 2.0 needs `introspect` for.
protocol OAuth1Provider: ProviderRules {
    var endpoints: OAuth1Endpoints { get }

    /// A fault that only the operator can mend and the answer tells of, as a sentence for the log; `nil` for any other answer. Asked about
    /// every answer to a signed request, before its status is.
    func unfitness(in answer: ProviderAPI.Answer) -> String?
}

/// The addresses of an OAuth 1.0a provider, which are made once, when its entry is read.
struct OAuth1Endpoints: Sendable {
    /// Gives a request token, with which a sign-in begins.
    let requestToken: String
    /// The page where the person signs in and approves the request token.
    let authorization: String
    /// Gives an access token for an approved request token.
    let accessToken: String
}

extension OAuth1Provider {
    func unfitness(in answer: ProviderAPI.Answer) -> String? { nil }
}
