import Logging
import Web

/// Work that a process does again and again, and no request waits for.
struct Chore: Sendable {
    /// Work begins this long after the start at the earliest, so that the first health check does not compete with it.
    static let afterStart: Duration = .milliseconds(100)

    private let interval: Duration
    private let name: String
    private let isSoon: Bool
    private let work: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - interval: the time between two runs.
    ///   - name: behind "could not", when a run fails.
    ///   - isSoon: whether it first runs soon after the start, and not only after `interval`, which a process that is often restarted may not
    ///     reach.
    static func every(
        _ interval: Duration, _ name: String, soon isSoon: Bool = false, _ work: @escaping @Sendable () async throws -> Void
    ) -> Chore {
        Chore(interval: interval, name: name, isSoon: isSoon, work: work)
    }

    func start(log: Logger) -> Task<Void, Never> { Self.start([self], log: log) }

    /// Runs chores one after the other, each when it is due, until the task is cancelled. Those that change the same rows belong together: a
    /// chore skips rows that another one holds.
    static func start(_ chores: [Chore], log: Logger) -> Task<Void, Never> {
        let begun = ContinuousClock.now
        return Task {
            var due = chores.map { begun + ($0.isSoon ? afterStart : $0.interval) }
            while let next = due.min() {
                try? await Task.sleep(until: next)
                for (index, chore) in chores.enumerated() where due[index] <= next {
                    guard !Task.isCancelled else { return }
                    await chore.run(log)
                    due[index] = ContinuousClock.now + chore.interval
                }
            }
        }
    }

    private func run(_ log: Logger) async {
        do { try await work() } catch { log.warning("could not \(name)", metadata: ["error": "\(LogDetail.of(error))"]) }
    }
}
