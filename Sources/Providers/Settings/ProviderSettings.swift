import JOSE
package import Runtime
package import Text

/// One entry of a project's `providers:`, read and checked. The settings that all providers have are here; those of one provider are in the
/// rules of its `protocol`.
package struct ProviderSettings: Sendable {
    package let id: String
    /// The text of a sign-in button.
    package var name: String
    package var enabled = true
    package var clientID: String
    var clientSecret: Secret?
    /// Signs assertions in place of a secret.
    var clientKey: ClientKey?
    /// The first day on which the provider refuses the secret or the certificate; `nil` when the entry does not say.
    package var expires: Instant?
    var clientAuthentication = ClientAuthentication.auto
    /// Ids of the operator's other apps at the provider, whose tokens are accepted like ours.
    var allowedAudiences: Set<String> = []
    /// In the order in which they are asked for.
    var scopes: [String]
    /// Added to every authorization URL; they win over an app's parameters of the same name.
    var parameters: [String: String] = [:]
    /// Whether its answers come to an address of its own, which the operator registers with it. This distinguishes the answers of
    /// providers that do not name themselves in them. <https://www.rfc-editor.org/rfc/rfc9700#section-4.4>
    package var hasOwnCallback = false
    var usesPKCE = true
    var flow = Flow.code
    var nonceRule = NonceRule.sha256
    /// `nil`: those in the issuer's list that we can verify.
    var algorithms: Set<Algorithm>?
    /// Mail domains, in lower case, for which the provider's statement joins accounts.
    var authoritativeDomains: Set<String> = []
    /// Whether sign-ins keep the provider's tokens for back ends.
    package var keepsTokens = false
    /// Whether issuer and endpoints may be plain `http`, for development.
    var allowsPlainText = false
    /// A PEM file of the authorities for the provider's servers, instead of the system's.
    var authorities: String?
    var `protocol`: SignInProtocol

    init(id: String, name: String, clientID: String, clientSecret: Secret?, scopes: [String], protocol: SignInProtocol) {
        self.id = id
        self.name = name
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.protocol = `protocol`
    }

    enum Flow: String, Sendable, CaseIterable {
        case code, idToken
    }

    /// Distinguishes the users of this entry from those of another issuer under the same id.
    package var storedIssuer: String { `protocol`.rules.storedIssuer }

    /// An SDK's custom parameters without those that a start would refuse for being its own.
    package func permitted(_ customParameters: [UTF8Text: UTF8Text]) -> [UTF8Text: UTF8Text] {
        CustomParameters.without(reserved: `protocol`.rules.reservedParameters, customParameters)
    }

    /// Whether the provider posts its answers. An ID token is never in an address, which browsers and servers remember.
    package var answersByPost: Bool { flow == .idToken || `protocol`.issuer?.responseMode == .formPost }

    /// Whether its answers have a code, and not an ID token.
    package var usesCode: Bool { flow == .code }

    /// Whether it is an issuer of the operator's choice, and not a provider of the catalogue.
    package var isOfAnyIssuer: Bool { id.hasPrefix("oidc.") }

    var audiences: Set<String> { allowedAudiences.union([clientID]).union(`protocol`.issuer?.nativeClientIDs ?? []) }
}
