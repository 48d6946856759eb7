import Postgres

/// Counts tries of action codes; only those with a wrong code count.
extension RateLimits {
    /// Runs `work`, which tries a code from a mail, and counts the try when the code was wrong. The right code forgives the account's
    /// failures; any other error leaves the buckets as they were.
    ///
    /// Throws the errors of `charge`, then those of `work`.
    func counting<Result>(
        _ attempt: Attempt, _ work: () async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        try await charge(attempt)
        let result: Result
        do { result = try await work() } catch {
            switch error {
            case .invalidActionCode, .expiredActionCode, .emailMismatch: break
            default: try await write(refund(of: attempt))
            }
            throw error
        }
        try await write(success(of: attempt))
        return result
    }

    private func write(_ statements: [SQL]) async throws(AccountError) {
        if !statements.isEmpty { _ = try await storage.write(all: statements) }
    }
}
