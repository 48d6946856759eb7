import Runtime
import Synchronization

/// Limits how many documents the process fetches per minute at addresses that apps have chosen.
///
/// One client address may begin 600 sign-ins in ten minutes (`limits.startSignIn`), so a single one cannot use up the budget.
final class FetchBudget: Sendable {
    static let most = 120
    private static let period: Duration = .seconds(60)

    private struct State {
        var begun = Instant(microseconds: 0)
        var taken = 0
    }

    private let state = Mutex(State())

    func take(at now: Instant) -> Bool {
        state.withLock { state in
            // A clock that was set back also begins a new period.
            if now >= state.begun + Self.period || now < state.begun { state = State(begun: now) }
            guard state.taken < Self.most else { return false }
            state.taken += 1
            return true
        }
    }
}
