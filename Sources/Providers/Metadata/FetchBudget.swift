import Runtime
import Synchronization

/// Limits how many documents the process fetches per minute at addresses that apps have chosen.
///
/// A client address that begins as many sign-ins as it may (`limits.startSignIn`: 600 at once, then one a second) can use the budget up.
/// Meanwhile sign-ins that name a tenant whose document is not at hand are refused, for the rest of the minute; no other is.
final class FetchBudget: Sendable {
    static let most = 120
    private static let period: Duration = .seconds(60)

    private struct State {
        var begun = Instant(microseconds: 0)
        var taken = 0
    }

    private let state = Mutex(State())

    static func refusal(of url: String) -> ProviderError {
        .unavailable(detail: "\(url) was not asked for: apps name more tenants than \(most) a minute.")
    }

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
