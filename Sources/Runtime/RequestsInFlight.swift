import Synchronization

/// Lets one request of the process do a piece of work, while others that need the same wait for what comes of it.
package final class RequestsInFlight<Value: Sendable, Failure: Error>: Sendable {
    private typealias Outcome = Result<Value, Failure>
    private typealias Waiter = CheckedContinuation<Outcome?, Never>

    private let waiters = Mutex<[[UInt8]: [Waiter]]>([:])

    package init() {}

    /// The number of requests that wait for another one's work of this name.
    package func waiting(for name: [UInt8]) -> Int { waiters.withLock { $0[name]?.count ?? 0 } }

    /// Does the work, or gives what came of it when another request does the work of this name now.
    ///
    /// A request that was told to end while it did the work has no outcome for the others. Then one of them does it.
    package func once(_ name: [UInt8], _ work: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        while !begin(name) {
            switch await outcome(of: name) {
            case .success(let value)?: return value
            case .failure(let error)?: throw error
            case nil: continue
            }
        }
        do {
            let value = try await work()
            end(name, .success(value))
            return value
        } catch {
            end(name, Task.isCancelled ? nil : .failure(error))
            throw error
        }
    }

    /// Whether no other request does the work of this name, so that the caller begins it.
    private func begin(_ name: [UInt8]) -> Bool {
        waiters.withLock { waiters in
            guard waiters[name] == nil else { return false }
            waiters[name] = []
            return true
        }
    }

    /// Waits for the end of another request's work; `nil` when it has no outcome, or was over already.
    private func outcome(of name: [UInt8]) async -> Outcome? {
        await withCheckedContinuation { waiter in
            let isOver = waiters.withLock { waiters in
                guard waiters[name] != nil else { return true }
                waiters[name]?.append(waiter)
                return false
            }
            if isOver { waiter.resume(returning: nil) }
        }
    }

    private func end(_ name: [UInt8], _ outcome: Outcome?) {
        for waiter in waiters.withLock({ $0.removeValue(forKey: name) ?? [] }) { waiter.resume(returning: outcome) }
    }
}
