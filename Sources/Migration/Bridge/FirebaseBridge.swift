package import Accounts
package import Curl
package import Runtime

/// The ways in for people who still have something of Firebase's, while they move here: a refresh token (`sessions`), or a password (`passwords`).
/// Each loop has one.
package struct FirebaseBridge: Sendable {
    package let sessions: SessionBridge
    package let passwords: PasswordBridge
    /// Google's key sets.
    package let tokens: GoogleTokens

    /// The parts that the loops of a process share.
    package struct Shared: Sendable {
        let access = GoogleAccess()
        /// The refresh tokens about which a request of the process asks Google now.
        let inFlight = RequestsInFlight<Void, AccountError>()
        let metrics: OutcomeCounters<ExchangeOutcome>
        let mirrorMetrics: MirrorMetrics

        package init(metrics: Metrics, clock: Clock) {
            self.metrics = OutcomeCounters(metrics)
            mirrorMetrics = MirrorMetrics(metrics, clock: clock)
        }
    }

    /// - Parameter tokens: those that `accounts` was made with.
    package init(accounts: Accounts, tokens: GoogleTokens, upstream: any Upstream, shared: Shared, clock: Clock) {
        self.tokens = tokens
        sessions = SessionBridge(accounts: accounts, tokens: tokens, upstream: upstream, shared: shared, clock: clock)
        passwords = PasswordBridge(accounts: accounts, tokens: tokens, upstream: upstream, access: shared.access, clock: clock)
    }
}
