import Identity
import JOSE
import JSON
import Text

/// The rules of one configured OpenID issuer: where its metadata is, which tokens are its own, and who the person in one is.
///
/// The flow (`ConfiguredProvider`) does what the standard says and asks here for what issuers do differently. Decisions about whom to
/// believe come from configuration; a token's `iss` is compared with it and is never an address to fetch from (SEC-01).
protocol Issuer: Sendable {
    /// Tells this issuer's people from another's; stored with the users, so that an entry cannot be pointed elsewhere unnoticed.
    var identitySpace: String { get }
    /// Where the discovery document is.
    var documentURL: String { get }
    /// Custom parameters that would undo what the entry sets, in lower case; refused besides the ones refused for all.
    var reservedParameters: Set<UTF8Text> { get }

    /// The rules for a sign-in with these custom parameters. Throws when a parameter asks for more than the entry allows.
    func narrowed(by parameters: [UTF8Text: UTF8Text]) throws(ProviderError) -> (issuer: any Issuer, rest: [UTF8Text: UTF8Text])
    /// Whether a discovery document that names `issuer` is this issuer's.
    func publishes(_ issuer: UTF8Text) -> Bool
    /// Whether an answer that says it is from `issuer` (RFC 9207) is from this one.
    func answers(as issuer: UTF8Text, _ metadata: IssuerMetadata) -> Bool
    /// Throws when the claims are not this issuer's: decided by configuration alone, before anything is fetched.
    func admits(_ claims: JSON) throws(ProviderError)
    /// Throws when a token that passed all standard checks is still not to be believed.
    func check(_ token: JWT, _ metadata: IssuerMetadata) throws(ProviderError)
    /// Makes a person of what was proven.
    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity
    /// The photo of whom `accessToken` belongs to; `nil` when there is none.
    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo?
}

extension Issuer {
    var reservedParameters: Set<UTF8Text> { [] }

    func narrowed(by parameters: [UTF8Text: UTF8Text]) throws(ProviderError) -> (issuer: any Issuer, rest: [UTF8Text: UTF8Text]) {
        (self, parameters)
    }

    func check(_ token: JWT, _ metadata: IssuerMetadata) throws(ProviderError) {}

    func photo(accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> Photo? { nil }
}
