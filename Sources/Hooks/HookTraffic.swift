package import ProjectSettings
package import Runtime
import Synchronization

/// The calls of hooks that are under way in the process, and the hooks that fail. All loops share it.
///
/// A page that does not answer makes sign-ins wait, and each that waits takes memory and a connection. So only some calls of one hook are under way
/// at once, and after many failures in a row each waits less, until one succeeds.
package final class HookTraffic: Sendable {
    /// The calls of one hook at once.
    static let width = 32
    /// As many failures in a row say that a page is down.
    static let mostFailures = 20
    static let usualLimit: Duration = .milliseconds(6500)
    static let limitWhileDown: Duration = .seconds(1)
    /// A call that takes longer is counted.
    private static let slow: Duration = .seconds(2)

    package struct Key: Hashable, Sendable {
        package let projectID: String
        package let event: HookEvent

        package init(projectID: String, event: HookEvent) {
            self.projectID = projectID
            self.event = event
        }
    }

    private struct State {
        var underWay = 0
        var failures = 0
    }

    private struct Counters {
        let answered, refused, failed, slow: Counter
    }

    private let states = Mutex<[Key: State]>([:])
    private let counters: [HookEvent: Counters]

    package init(metrics: Metrics) {
        var counters: [HookEvent: Counters] = [:]
        for event in HookEvent.allCases {
            func counter(_ outcome: String) -> Counter {
                metrics.counter(
                    "gatehouse_hook_calls_total", "Calls of hooks, by hook and outcome.", ["hook": event.rawValue, "outcome": outcome])
            }
            counters[event] = Counters(
                answered: counter("answered"), refused: counter("refused"), failed: counter("failed"),
                slow: metrics.counter(
                    "gatehouse_hook_slow_calls_total", "Calls of hooks that took more than two seconds.", ["hook": event.rawValue]))
        }
        self.counters = counters
    }

    /// Begins a call. Returns how long it may take at most; `nil` where too many are under way.
    func begin(_ key: Key) -> Duration? {
        let limit = states.withLock { states -> Duration? in
            var state = states[key] ?? State()
            guard state.underWay < Self.width else { return nil }
            state.underWay += 1
            states[key] = state
            return state.failures < Self.mostFailures ? Self.usualLimit : Self.limitWhileDown
        }
        if limit == nil { counters[key.event]?.failed.increment() }
        return limit
    }

    func end(_ key: Key, _ outcome: Result<HookReply, HookFault>, after time: Duration) {
        let failed = if case .failure = outcome { true } else { false }
        states.withLock { states in
            guard var state = states[key] else { return }
            state.underWay -= 1
            state.failures = failed ? min(state.failures + 1, Self.mostFailures) : 0
            states[key] = state.underWay == 0 && state.failures == 0 ? nil : state
        }
        let counters = counters[key.event]
        switch outcome {
        case .success(.answer): counters?.answered.increment()
        case .success(.refused): counters?.refused.increment()
        case .failure: counters?.failed.increment()
        }
        if time > Self.slow { counters?.slow.increment() }
    }
}
