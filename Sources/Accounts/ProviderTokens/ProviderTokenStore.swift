package import Postgres
package import Runtime

/// The tokens of identities that are kept for back ends, sealed, where the entry of a provider wants that.
///
/// A sign-in stores them in its own transaction (`storing`). The database deletes them together with the identity. A back end gets them
/// (`tokens`), and each time is recorded; when the access token has ended, one process takes the `lease`, asks the provider for newer ones
/// and stores those (`replace`, in `ProviderTokenRenewals.swift`).
package struct ProviderTokenStore: Sendable {
    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        self.init(storage: Storage(database: database), masterKey: masterKey, clock: clock)
    }

    init(storage: Storage, masterKey: MasterKey, clock: Clock) {
        self.storage = storage
        self.masterKey = masterKey
        self.clock = clock
    }

    /// Tokens as they were read, with the state of their account.
    package struct Stored: Sendable {
        package let tokens: ProviderTokens
        package let isOfDisabled: Bool
        /// The version of the row.
        let updated: Instant
    }

    /// The statement that keeps the tokens of a sign-in. Many providers give a refresh token only once, so a sign-in without one leaves the
    /// former in place.
    func storing(_ tokens: ProviderTokens, of owner: ProviderTokens.Owner, at now: Instant) -> SQL {
        let sealed = seal(owner).seal(tokens)
        return """
            INSERT INTO provider_tokens (project_id, account_id, provider_id, access_token, refresh_token, expires_at, updated_at)
            VALUES (\(project: owner.projectID), \(owner.accountID), \(owner.providerID), \(sealed.accessToken), \(sealed.refreshToken),
                \(tokens.expires), \(now))
            ON CONFLICT (project_id, account_id, provider_id) DO UPDATE SET access_token = excluded.access_token,
                refresh_token = coalesce(excluded.refresh_token, provider_tokens.refresh_token), expires_at = excluded.expires_at,
                updated_at = greatest(excluded.updated_at, provider_tokens.updated_at + interval '1 microsecond'), leased_until = NULL
            """
    }

    /// The tokens that are stored; `nil` when none are. Throws `accountNotFound`.
    package func tokens(of owner: ProviderTokens.Owner) async throws(AccountError) -> Stored? {
        let rows = try await storage.read(
            """
            SELECT a.disabled, t.updated_at, t.expires_at, t.access_token, t.refresh_token
            FROM accounts a LEFT JOIN provider_tokens t ON t.project_id = \(project: owner.projectID) AND t.account_id = a.account_id
                AND t.provider_id = \(owner.providerID)
            WHERE a.project_id = \(project: owner.projectID) AND a.account_id = \(owner.accountID)
            """)
        guard var row = rows.first?.reader() else { throw .accountNotFound }
        let (isDisabled, updated): (Bool, Instant?) = try reading { (try row.next(), try row.next()) }
        guard let updated else { return nil }
        let expires: Instant? = try reading { try row.next() }
        let sealed = try reading {
            ProviderTokenSeal.Columns(accessToken: try row.next(), refreshToken: try row.next())
        }
        return Stored(tokens: try seal(owner).open(sealed, expires: expires), isOfDisabled: isDisabled, updated: updated)
    }

    /// Records that tokens are given to a back end.
    package func recordGiving(of owner: ProviderTokens.Owner, by actor: AuditEvent.Actor) async throws(AccountError) {
        let act = AuditedAct(by: actor, on: owner.accountID, from: nil, at: clock.now())
        _ = try await storage.write(act.record(AccountEvent(.providerTokensGiven, providerID: owner.providerID), in: owner.projectID))
    }

    func seal(_ owner: ProviderTokens.Owner) -> ProviderTokenSeal { ProviderTokenSeal(keys: masterKey.providerTokens, owner: owner) }
}

extension ProviderTokens.Owner {
    /// The condition for the row of this identity.
    var isRow: SQL { "project_id = \(project: projectID) AND account_id = \(accountID) AND provider_id = \(providerID)" }
}
