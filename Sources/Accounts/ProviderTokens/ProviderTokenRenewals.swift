import Postgres
import Runtime

/// Renewing stored tokens, by one process at a time: a provider that rotates refresh tokens takes the second use of one for theft.
extension ProviderTokenStore {
    /// How long one process may ask the provider before another one may. Longer than the provider's document and its answer may take.
    static let lease: Duration = .seconds(40)

    /// Takes the right to ask the provider for newer tokens than `stored`; false when another process has it, or has just stored some.
    package func lease(_ stored: Stored, of owner: ProviderTokens.Owner) async throws(AccountError) -> Bool {
        let now = clock.now()
        let rows = try await storage.write(
            """
            UPDATE provider_tokens SET leased_until = \(now + Self.lease) WHERE \(owner.isRow) AND updated_at = \(stored.updated)
                AND (leased_until IS NULL OR leased_until <= \(now)) RETURNING 1::bigint
            """)
        return !rows.isEmpty
    }

    /// Gives the right back without newer tokens.
    package func giveBack(_ stored: Stored, of owner: ProviderTokens.Owner) async throws(AccountError) {
        _ = try await storage.write(
            "UPDATE provider_tokens SET leased_until = NULL WHERE \(owner.isRow) AND updated_at = \(stored.updated)")
    }

    /// Stores newer tokens in place of `stored`, with the former refresh token where the provider gave no other. Does nothing, and returns
    /// false, when a sign-in has stored others meanwhile, or the identity is gone.
    package func replace(
        _ stored: Stored, by newer: ProviderTokens, of owner: ProviderTokens.Owner
    ) async throws(AccountError) -> Bool {
        let sealed = seal(owner).seal(newer)
        let rows = try await storage.write(
            """
            UPDATE provider_tokens SET access_token = \(sealed.accessToken),
                refresh_token = coalesce(\(sealed.refreshToken), refresh_token), expires_at = \(newer.expires),
                updated_at = \(max(clock.now(), stored.updated + .microseconds(1))), leased_until = NULL
            WHERE \(owner.isRow) AND updated_at = \(stored.updated) RETURNING 1::bigint
            """)
        return !rows.isEmpty
    }

    /// Deletes tokens that the provider does not accept any more. Does nothing, and returns false, when others are stored meanwhile.
    package func delete(_ stored: Stored, of owner: ProviderTokens.Owner) async throws(AccountError) -> Bool {
        let rows = try await storage.write(
            "DELETE FROM provider_tokens WHERE \(owner.isRow) AND updated_at = \(stored.updated) RETURNING 1::bigint")
        return !rows.isEmpty
    }
}
