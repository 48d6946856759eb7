@testable import Accounts
import Postgres
import TestKit

extension Fixture {
    var store: ProviderTokenStore { ProviderTokenStore(database: database, masterKey: masterKey, clock: time.clock) }

    func owner(_ account: Account, _ provider: String = "oidc.acme") -> ProviderTokens.Owner {
        ProviderTokens.Owner(projectID: "demo", accountID: account.id, providerID: provider)
    }

    func tokens(of account: Account, _ provider: String = "oidc.acme") async throws -> ProviderTokens? {
        try await store.tokens(of: owner(account, provider))?.tokens
    }

    /// The number of identities that have tokens, in all projects.
    func countTokens() async throws -> Int { try await database.query("SELECT account_id FROM provider_tokens").count }
}
