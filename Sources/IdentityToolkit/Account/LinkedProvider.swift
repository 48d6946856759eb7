import Accounts
import Brokerage
import ProjectSettings
import Projects
import Text
import Web

extension Context {
    /// The provider that a caller wants something of, in its spelling: one that the caller's account has. Counts against the limit of
    /// sign-ins at providers, since each call may cause requests to the provider.
    ///
    /// Throws what finding the account throws, and `INVALID_PROVIDER_ID`.
    func linkedProvider(_ id: UTF8Text?, of idToken: UTF8Text) async throws -> UTF8Text {
        try await broker.charge(.federatedSignIn, from: clientInfo)
        let (account, _) = try await services.accounts.idTokens.account(of: idToken.asString, in: project.settings)
        let providerID = id?.asciiLowercased ?? ""
        guard account.has(providerID.asString) else {
            throw Failure.invalidProviderID("This account has no such provider.")
        }
        return providerID
    }
}
