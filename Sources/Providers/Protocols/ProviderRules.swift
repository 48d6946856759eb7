import Identity
import JSON
import Runtime
import Text

/// How people sign in with a provider, and the rules of its entry. The flow (`ConfiguredProvider`) does what a protocol says for all of its
/// providers, and asks the rules for everything that differs between them.
enum SignInProtocol: Sendable {
    /// <https://openid.net/specs/openid-connect-core-1_0.html>
    case openIDConnect(any Issuer)
    /// OAuth 2.0 without ID tokens: the provider's API says who the person is. <https://www.rfc-editor.org/rfc/rfc6749>
    case oauth2(any OAuth2Service)
    /// OAuth 1.0a, whose requests are signed. <https://www.rfc-editor.org/rfc/rfc5849>
    case oauth1(any OAuth1Service)

    /// `nil` for a provider without ID tokens.
    var issuer: (any Issuer)? { if case .openIDConnect(let issuer) = self { issuer } else { nil } }

    /// Whether it gives codes for tokens (OpenID Connect does, too), with scopes, PKCE and a client that proves itself to an endpoint.
    var isOAuth2: Bool { if case .oauth1 = self { false } else { true } }

    var rules: any ProviderRules {
        switch self {
        case .openIDConnect(let issuer): issuer
        case .oauth2(let service): service
        case .oauth1(let service): service
        }
    }
}

/// The rules of one configured provider that every protocol needs.
protocol ProviderRules: Sendable {
    /// Distinguishes this provider's users from another's. It is stored with the users, so that a changed entry is noticed.
    var storedIssuer: String { get }
    /// Custom parameters, in lower case, that would undo a setting of the entry. They are refused in addition to those that are refused
    /// for all.
    var reservedParameters: Set<UTF8Text> { get }
    /// The errors by which the token endpoint refuses this server as its client, so that only the operator can help.
    var clientErrors: Set<UTF8Text> { get }

    /// The secret by which this server proves itself to the provider.
    ///
    /// - Parameter configured: the entry's.
    func clientSecret(_ configured: Secret?, at now: Instant) throws(ProviderError) -> Secret?
    /// What the provider says of an access token that an app posted alone; `nil` when it cannot say to which client a token was issued.
    /// Throws unless it was issued to our client: with the token of another app, that app could sign in as the person.
    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON?
    /// Identifies the person.
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity
    /// The photo of the person to whom `accessToken` belongs; `nil` when there is none.
    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo?
}

extension ProviderRules {
    var reservedParameters: Set<UTF8Text> { [] }
    var clientErrors: Set<UTF8Text> { ["invalid_client", "unauthorized_client"] }

    func clientSecret(_ configured: Secret?, at now: Instant) throws(ProviderError) -> Secret? { configured }

    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? { nil }

    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo? { nil }
}
