/// Does `work` again, up to three times, as long as what it read changes under it (`AccountError.overtaken`).
///
/// - Parameter races: which errors mean the same, besides `overtaken`.
func retryingWhenOvertaken<Result>(
    orRaces races: (AccountError) -> Bool = { _ in false }, _ work: () async throws(AccountError) -> Result
) async throws(AccountError) -> Result {
    for _ in 1...3 {
        do { return try await work() } catch {
            if case .overtaken = error { continue }
            guard races(error) else { throw error }
        }
    }
    return try await work()
}
