package import Accounts
package import Curl
package import Providers
package import Runtime

/// Access tokens of people at their providers, for the operator's back ends: those that sign-ins stored, and newer ones when those have
/// ended. A sign-in stores them only where the entry says `storeProviderTokens: true`.
package struct ProviderAccess: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// Good for at least a minute, where the provider says how long its tokens last, and that is longer.
        case tokens(ProviderTokens)
        /// Nothing is stored of this person at this provider.
        case none
        /// The access token has ended, and the provider gives no newer one: the person must sign in again.
        case ended(reason: String)
        case accountDisabled
    }

    /// A token that ends within this time counts as ended, since the back end needs time to use it.
    static let margin: Duration = .seconds(60)
    /// How long a caller waits between two looks while another process asks the provider.
    static let pause: Duration = .milliseconds(200)
    /// How often a caller looks: for longer than the other process may take.
    static let looks = 250
    /// How often newer tokens are written at most.
    static let writes = 5

    let store: ProviderTokenStore
    let upstream: any Upstream
    let metadata: MetadataCache
    let clock: Clock

    package init(store: ProviderTokenStore, upstream: any Upstream, metadata: MetadataCache, clock: Clock) {
        self.store = store
        self.upstream = upstream
        self.metadata = metadata
        self.clock = clock
    }

    /// A usable access token of the person, with a record that it was given to `actor`.
    ///
    /// Asks the provider only when the stored one has ended, and once for all who ask meanwhile, in whichever process. Throws
    /// `accountNotFound`, and what the provider's answer or its silence means; then everything stays as it is stored.
    package func tokens(
        of owner: ProviderTokens.Owner, at provider: ProviderSettings, for actor: AuditEvent.Actor
    ) async throws(BrokerageError) -> Outcome {
        let outcome = try await current(owner, provider)
        if case .tokens = outcome { try await stored { store throws(AccountError) in try await store.recordGiving(of: owner, by: actor) } }
        return outcome
    }

    private func current(_ owner: ProviderTokens.Owner, _ provider: ProviderSettings) async throws(BrokerageError) -> Outcome {
        for _ in 0..<Self.looks {
            guard let found = try await stored({ store throws(AccountError) in try await store.tokens(of: owner) }) else { return .none }
            if found.isOfDisabled { return .accountDisabled }
            if found.tokens.expires.map({ $0 > clock.now() + Self.margin }) ?? true { return .tokens(found.tokens) }
            guard let renewal = found.tokens.renewal else { return .ended(reason: "The provider gave no refresh token.") }
            if try await stored({ store throws(AccountError) in try await store.lease(found, of: owner) }) {
                if let outcome = try await renew(found, renewal, owner, provider) { return outcome }
            } else {
                try? await Task.sleep(for: Self.pause)
            }
        }
        throw .outage(detail: "Other processes ask the provider for newer tokens, and store none.")
    }

    /// Asks the provider for newer tokens, and stores them. `nil` when a sign-in has stored others meanwhile, or the identity is gone.
    private func renew(
        _ found: ProviderTokenStore.Stored, _ renewal: ProviderTokens.Renewal, _ owner: ProviderTokens.Owner, _ provider: ProviderSettings
    ) async throws(BrokerageError) -> Outcome? {
        let renewed: RenewedTokens
        do throws(ProviderError) {
            renewed = try await ConfiguredProvider(provider, upstream: upstream, cache: metadata, clock: clock)
                .renew(renewal.refreshToken, of: TokenGrant(clientID: renewal.clientID, tenant: renewal.tenant))
        } catch {
            guard case .grantRefused = error else {
                try await stored { store throws(AccountError) in try await store.giveBack(found, of: owner) }
                throw BrokerageError(error)
            }
            let isDeleted = try await stored { store throws(AccountError) in try await store.delete(found, of: owner) }
            return isDeleted ? .ended(reason: error.logDetail) : nil
        }
        let newer = ProviderTokens(renewed, of: renewal, at: clock.now())
        // Whatever their life: a provider whose tokens last for seconds must not be asked again and again.
        return try await keep(newer, inPlaceOf: found, owner) ? .tokens(newer) : nil
    }

    /// Stores newer tokens. The provider may not accept the former refresh token any more, so one failed write must not lose them.
    private func keep(
        _ newer: ProviderTokens, inPlaceOf found: ProviderTokenStore.Stored, _ owner: ProviderTokens.Owner
    ) async throws(BrokerageError) -> Bool {
        for _ in 1..<Self.writes {
            do throws(AccountError) { return try await store.replace(found, by: newer, of: owner) } catch {
                try? await Task.sleep(for: Self.pause)
            }
        }
        return try await stored { store throws(AccountError) in try await store.replace(found, by: newer, of: owner) }
    }

    private func stored<Result>(
        _ work: (ProviderTokenStore) async throws(AccountError) -> Result
    ) async throws(BrokerageError) -> Result {
        do throws(AccountError) { return try await work(store) } catch { throw BrokerageError(error) }
    }
}
