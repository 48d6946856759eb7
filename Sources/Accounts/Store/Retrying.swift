/// Does `work` again as long as what it read changes under it (`AccountError.conflict`).
///
/// - Parameters:
///   - tries: how often it is done at most.
///   - races: which errors mean the same, besides `conflict`.
func retryingConflicts<Result>(
    tries: Int = 4, orRaces races: (AccountError) -> Bool = { _ in false }, _ work: () async throws(AccountError) -> Result
) async throws(AccountError) -> Result {
    for _ in 1..<tries {
        do { return try await work() } catch {
            if case .conflict = error { continue }
            guard races(error) else { throw error }
        }
    }
    return try await work()
}
