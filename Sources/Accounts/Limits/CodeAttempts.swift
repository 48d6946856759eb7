import Postgres

/// How tries of action codes are counted: only those of codes that are none.
extension RateLimits {
    /// Does `work`, which tries a code from a mail, and counts it when the code was no good.
    ///
    /// Throws what `charge` throws, then what `work` does.
    package func counting<Result>(_ attempt: Attempt, _ work: () async throws(AccountError) -> Result) async throws(AccountError) -> Result
    {
        try await charge(attempt)
        let result: Result
        do { result = try await work() } catch {
            switch error {
            case .invalidActionCode, .expiredActionCode, .emailMismatch: break
            default: try await settle(attempt)
            }
            throw error
        }
        try await settle(attempt)
        return result
    }

    private func settle(_ attempt: Attempt) async throws(AccountError) { try await write(success(of: attempt)) }

    /// Forgives the failures of an account whose owner has set a new password by a mail. See `forgiveness`.
    package func forgive(_ attempt: Attempt) async throws(AccountError) { try await write(forgiveness(of: attempt)) }

    private func write(_ statements: [SQL]) async throws(AccountError) {
        if !statements.isEmpty { _ = try await storage.write(all: statements) }
    }
}
