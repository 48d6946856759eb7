import Identity
import JSON
import Runtime
import Text

/// The rules of one configured provider that every protocol needs.
protocol ProviderRules: Sendable {
    /// Distinguishes this provider's users from another's. It is stored with the users, so that a changed entry is noticed.
    var storedIssuer: String { get }
    /// Custom parameters, in lower case, that would undo a setting of the entry. They are refused in addition to those that are refused
    /// for all.
    var reservedParameters: Set<UTF8Text> { get }
    /// Scopes of the catalogue that are not asked for, since the provider's server would refuse them.
    var refusedScopes: Set<String> { get }
    /// The errors by which the token endpoint refuses this server as its client, so that only the operator can help.
    var clientErrors: Set<UTF8Text> { get }
    /// Those of them that are about the address of this server, which is not registered, and not about its id or secret.
    var addressErrors: Set<UTF8Text> { get }
    /// The errors by which the token endpoint says that it cannot answer now.
    var outageErrors: Set<UTF8Text> { get }

    /// The errors by which the token endpoint says that a code or a refresh token is not good any more, so that the person must sign in
    /// again.
    var endedGrantErrors: Set<UTF8Text> { get }

    /// Whether secrets are made of other keys of the entry, which has no `clientSecret` then.
    var makesClientSecret: Bool { get }

    /// The secret by which this server proves itself to the provider as `clientID`.
    ///
    /// - Parameter configured: the entry's.
    func clientSecret(_ configured: Secret?, of clientID: String, at now: Instant) throws(ProviderError) -> Secret?
    /// Asks the provider to which client an access token was issued that an app posted alone, and returns its answer; `nil` when the
    /// provider cannot say it. Throws unless the token was issued to our client: with the token of another app, that app could sign in as
    /// the person.
    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON?
    /// Identifies the person.
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity
    /// The photo of the person to whom `accessToken` belongs; `nil` when there is none.
    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo?
}

extension ProviderRules {
    var reservedParameters: Set<UTF8Text> { [] }
    var refusedScopes: Set<String> { [] }
    var clientErrors: Set<UTF8Text> { ["invalid_client", "unauthorized_client"] }
    var addressErrors: Set<UTF8Text> { ["redirect_uri_mismatch"] }
    var outageErrors: Set<UTF8Text> { ["temporarily_unavailable"] }
    var endedGrantErrors: Set<UTF8Text> { ["invalid_grant", "interaction_required", "login_required", "consent_required"] }

    var makesClientSecret: Bool { false }

    func clientSecret(_ configured: Secret?, of clientID: String, at now: Instant) throws(ProviderError) -> Secret? { configured }

    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? { nil }

    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo? { nil }
}
