import JSON

/// How people sign in with a provider, and the rules of its entry. The flow (`ConfiguredProvider`) does what a protocol says for all of its
/// providers, and asks the rules for everything that differs between them.
enum SignInProtocol: Sendable {
    /// <https://openid.net/specs/openid-connect-core-1_0.html>
    case openIDConnect(any Issuer)
    /// OAuth 2.0: the provider's API says who the person is. <https://www.rfc-editor.org/rfc/rfc6749>
    case oauth2(any OAuth2Provider)
    /// OAuth 1.0a, whose requests are signed. <https://www.rfc-editor.org/rfc/rfc5849>
    case oauth1(any OAuth1Provider)
    /// None: a page of this server takes the provider's place, in development mode alone (`DevelopmentProviders`).
    case development(DevelopmentProvider)

    /// The issuer whose ID token ends every sign-in; `nil` for a provider that does not speak OpenID Connect.
    var issuer: (any Issuer)? { if case .openIDConnect(let issuer) = self { issuer } else { nil } }

    /// The issuers whose ID tokens an app may post.
    var postedIssuers: [any Issuer] {
        switch self {
        case .openIDConnect(let issuer): [issuer]
        case .oauth2(let provider): provider.nativeIssuers
        case .oauth1, .development: []
        }
    }

    /// The one of them that tokens with these claims are from, by what they say. When it is none, the first refuses them; `nil` when there
    /// is no issuer.
    func postedIssuer(of claims: JSON) -> (any Issuer)? {
        postedIssuers.first { (try? $0.admits(claims)) != nil } ?? postedIssuers.first
    }

    /// Whether it gives codes for tokens (OpenID Connect does, too), with scopes, PKCE and a client that proves itself to an endpoint.
    var isOAuth2: Bool { if case .oauth1 = self { false } else { true } }

    var rules: any ProviderRules {
        switch self {
        case .openIDConnect(let issuer): issuer
        case .oauth2(let provider): provider
        case .oauth1(let provider): provider
        case .development(let provider): provider
        }
    }
}
