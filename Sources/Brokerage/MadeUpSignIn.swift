import Accounts
import Identity
import ProjectSettings
import Providers
import Text

/// Signing in with a person whom a developer made up (`DevelopmentProviders`).
extension BrokeredProject {
    /// Pins the provider to the issuer of made-up people, as the server's start does for the providers that are configured. One round
    /// trip, and a second one at the first sign-in; in development mode alone.
    ///
    /// Throws `misconfigured` when the project has users whom a real provider proved: those stay who they are.
    func pinMadeUp(_ proven: ProvenSignIn) async throws(BrokerageError) {
        let identity = proven.result.identity
        guard DevelopmentProviders.issuer.isExactly(identity.issuer) else { return }
        let entry = ProviderIssuers.Entry(projectID: settings.storageID, providerID: identity.providerID, issuer: identity.issuer)
        let conflicts: [ProviderIssuers.Entry]
        do {
            conflicts = try await brokerage.accounts.signIn.providerIssuers.pin([entry])
        } catch { throw BrokerageError(error) }
        guard let pinned = conflicts.first else { return }
        throw at(
            identity.providerID,
            .misconfigured(
                "This project has users of \(identity.providerID) from \(pinned.issuer), so development mode cannot make up people for it. Delete "
                    + "those users, or give the project's file the provider's entry again.", detail: ""))
    }
}
