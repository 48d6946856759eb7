import JOSE
import JSON
import Text

/// The rules of one configured OpenID issuer: the address of its metadata, and which tokens are its own.
///
/// The flow (`ConfiguredProvider`) follows the standard, and asks here for everything that differs between issuers. The configuration
/// decides which issuer is trusted; a token's `iss` is compared with it and is never an address to fetch from (SEC-01).
protocol Issuer: ProviderRules {
    /// The address of the discovery document.
    var documentURL: String { get }
    /// Metadata in place of the discovery document, which is then never fetched; `nil` when the document counts. Its issuer and
    /// endpoints are checked like those of a document.
    var pinnedMetadata: ProviderMetadata? { get }
    /// How it gives its codes to the browser.
    var responseMode: ResponseMode { get }
    /// Its rules for a client that proves itself by a key; `nil` for an issuer that takes no keys.
    var assertions: AssertionRules? { get }
    /// The ids of the operator's native apps at the issuer. Their tokens are accepted like ours, and a code that such an app posts is
    /// redeemed in its name.
    var nativeClientIDs: [String] { get }

    /// The rules for a sign-in with these custom parameters. Throws when a parameter asks for more than the entry allows.
    func narrowed(by parameters: [UTF8Text: UTF8Text]) throws(ProviderError) -> (issuer: any Issuer, rest: [UTF8Text: UTF8Text])
    /// Whether a discovery document that names `issuer` belongs to this issuer.
    func publishes(_ issuer: UTF8Text) -> Bool
    /// Whether the issuer's endpoints may be on this host.
    func mayHaveEndpoints(at host: String) -> Bool
    /// Whether an answer that claims to be from `issuer` (RFC 9207) is from this one.
    func answers(as issuer: UTF8Text, _ metadata: ProviderMetadata) -> Bool
    /// Throws when the claims are not from this issuer. Only the configuration decides, before anything is fetched.
    func admits(_ claims: JSON) throws(ProviderError)
    /// The nonce that a token with these claims must have, where the issuer's rule differs from the entry's.
    func expected(_ nonce: IDTokenChecks.ExpectedNonce, in claims: JSON) -> IDTokenChecks.ExpectedNonce
    /// Throws when a token that passed all standard checks must still be refused.
    func check(_ token: JWT, _ metadata: ProviderMetadata) throws(ProviderError)
}

extension Issuer {
    var pinnedMetadata: ProviderMetadata? { nil }
    var responseMode: ResponseMode { .query }
    var assertions: AssertionRules? { nil }
    var nativeClientIDs: [String] { [] }

    func mayHaveEndpoints(at host: String) -> Bool { true }
    func publishes(_ issuer: UTF8Text) -> Bool { issuer == storedIssuer }
    func answers(as issuer: UTF8Text, _ metadata: ProviderMetadata) -> Bool { publishes(issuer) }
    func admits(_ claims: JSON) throws(ProviderError) { try checkName(claims, publishes) }

    /// Throws unless the `iss` of the claims is a name of this issuer.
    func checkName(_ claims: JSON, _ isOwn: (UTF8Text) -> Bool) throws(ProviderError) {
        guard let name = claims["iss"]?.string, isOwn(name) else {
            throw .invalidResponse("The ID token comes from another issuer.", detail: "its iss is not \(storedIssuer)")
        }
    }

    func narrowed(by parameters: [UTF8Text: UTF8Text]) throws(ProviderError) -> (issuer: any Issuer, rest: [UTF8Text: UTF8Text]) {
        (self, parameters)
    }

    func expected(_ nonce: IDTokenChecks.ExpectedNonce, in claims: JSON) -> IDTokenChecks.ExpectedNonce { nonce }

    func check(_ token: JWT, _ metadata: ProviderMetadata) throws(ProviderError) {}
}
