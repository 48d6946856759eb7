/// The rules of one configured OAuth 2.0 provider. Its endpoints come from the entry, since no document names them.
///
/// The rules' `introspect` must be able to check a client: `gatehouse check --live` asks it about a token that does not exist, to see
/// whether the provider accepts the entry's client.
protocol OAuth2Service: ProviderRules {
    /// The address of the page where the person signs in.
    var authorization: String { get }
    /// The address where a code is redeemed.
    var token: String { get }
}
