import Runtime
import Synchronization

/// How many documents the process fetches a minute because apps name their addresses.
///
/// One client address may begin 600 sign-ins in ten minutes (`limits.startSignIn`), so one alone cannot use the budget up.
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
            // A clock that was set back begins anew, too.
            if now >= state.begun + Self.period || now < state.begun { state = State(begun: now) }
            guard state.taken < Self.most else { return false }
            state.taken += 1
            return true
        }
    }
}
