import JOSE
import Runtime
package import Text

/// One entry of a project's `providers:`, read and checked: what is the same for all providers here, and what only one has in `issuer`.
package struct ProviderSettings: Sendable {
    package let id: String
    /// What a sign-in button says.
    package var name: String
    package var enabled = true
    var clientID: String
    var clientSecret: Secret?
    var clientAuthentication = ClientAuthentication.auto
    /// Ids of the operator's other apps at the provider, whose tokens are as good as ours.
    var allowedAudiences: Set<String> = []
    /// In the order they are asked for.
    var scopes: [String]
    /// Added to every authorization URL; an app's parameters of the same name give way.
    var parameters: [String: String] = [:]
    /// Whether its answers come by an address that no other provider's come by; the operator registers that one with it. Keeps answers of
    /// providers apart that do not name themselves in them. <https://www.rfc-editor.org/rfc/rfc9700#section-4.4>
    package var hasOwnCallback = false
    var flow = Flow.code
    var usesPKCE = true
    var nonceRule = NonceRule.sha256
    /// `nil`: those that the issuer lists and we can verify.
    var algorithms: Set<Algorithm>?
    /// Mail domains, in lower case, for which the provider's word joins accounts.
    var authoritativeDomains: Set<String> = []
    /// Whether issuer and endpoints may be plain `http`, for development.
    var allowsPlainText = false
    /// A PEM file of the authorities that vouch for the provider's servers, in place of the system's.
    var authorities: String?
    var issuer: any Issuer

    init(id: String, name: String, clientID: String, clientSecret: Secret?, scopes: [String], issuer: any Issuer) {
        self.id = id
        self.name = name
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.issuer = issuer
    }

    enum Flow: String, Sendable, CaseIterable {
        case code, idToken
    }

    /// Tells this entry's people from those of another issuer under the same id.
    package var issuerForStorage: String { issuer.identitySpace }

    /// An SDK's custom parameters without those that a start would refuse for being its own.
    package func permitted(_ customParameters: [UTF8Text: UTF8Text]) -> [UTF8Text: UTF8Text] {
        CustomParameters.without(reserved: issuer.reservedParameters, customParameters)
    }

    var audiences: Set<String> { allowedAudiences.union([clientID]) }
}
