package import Providers
import Text

/// A provider as administrators' calls show it: an entry of the project's file or, in development mode, one that such a call made. It has no
/// secret, and is not enough to sign in with.
package struct ProviderEntry: Sendable, Equatable {
    package let id: String
    package var name: String
    package var enabled: Bool
    package var clientID: String
    package var issuer: String
    /// Whether the provider answers with a code, and not with an ID token.
    package var usesCode: Bool

    /// Whether it is an issuer of the operator's choice, and not a provider of the catalogue.
    package var isOfAnyIssuer: Bool { id.hasPrefix("oidc.") }

    package init(id: String, name: String, enabled: Bool, clientID: String, issuer: String = "", usesCode: Bool = false) {
        self.id = id
        self.name = name
        self.enabled = enabled
        self.clientID = clientID
        self.issuer = issuer
        self.usesCode = usesCode
    }

    package init(_ provider: ProviderSettings) {
        self.init(
            id: provider.id, name: provider.name, enabled: provider.enabled, clientID: provider.clientID, issuer: provider.storedIssuer,
            usesCode: provider.usesCode)
    }

    /// More of them at once in one realm are a mistake of a test suite, which would fill the memory.
    package static let mostOfCalls = 1000
}
