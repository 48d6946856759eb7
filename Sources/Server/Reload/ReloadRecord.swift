import Runtime
import Synchronization

/// Keeps how the last reload of the configuration went, for metrics. The start counts as the first reload.
final class ReloadRecord: Sendable {
    private let state: Mutex<(isSuccessful: Bool, succeeded: Int64)>
    private let clock: Clock

    init(metrics: Metrics, clock: Clock) {
        self.clock = clock
        state = Mutex((true, clock.now().seconds))
        metrics.gauge(
            "gatehouse_config_last_reload_successful", "Whether the last reload took all files: 1, or 0 when it refused some or all."
        ) { [weak self] in self?.state.withLock { $0.isSuccessful ? 1 : 0 } ?? 0
        }
        metrics.gauge(
            "gatehouse_config_last_reload_success_timestamp_seconds", "When a reload last took all files, in seconds since 1970."
        ) { [weak self] in Int(self?.state.withLock { $0.succeeded } ?? 0) }
    }

    func note(_ outcome: ReloadOutcome) {
        let isSuccessful = if case .taken = outcome { true } else { false }
        let now = clock.now().seconds
        state.withLock { state in
            state.isSuccessful = isSuccessful
            if isSuccessful { state.succeeded = now }
        }
    }
}
