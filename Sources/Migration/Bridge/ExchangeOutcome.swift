import Runtime

/// The result of trading one of Firebase's refresh tokens. Results are counted, so that an operator sees when no more come and the window can be closed.
enum ExchangeOutcome: String, Sendable, CaseIterable {
    /// A session goes on here.
    case exchanged
    /// The token was traded before, and gave its session's tokens again.
    case repeated
    /// Google or a rule refuses the token: its person signs in again.
    case refused
    /// The client's address, or the project, has reached a limit.
    case limited
    /// Google does not answer now.
    case unavailable
    /// Google does not take this server's own credentials.
    case misconfigured
}

extension OutcomeCounters<ExchangeOutcome> {
    convenience init(_ metrics: Metrics) {
        self.init(
            metrics, "gatehouse_migration_exchanges_total", "Firebase's refresh tokens that were to be traded, by project and outcome.")
    }
}
