import Accounts
import Synchronization

/// Lets one request of the process ask Google about a refresh token, while others with the same token wait for what comes of it.
package final class ExchangesInFlight: Sendable {
    typealias Outcome = Result<Void, AccountError>
    private typealias Waiter = CheckedContinuation<Outcome?, Never>

    private let waiters = Mutex<[[UInt8]: [Waiter]]>([:])

    package init() {}

    /// The number of requests that wait for another one about the token of this name.
    func waiting(for name: [UInt8]) -> Int { waiters.withLock { $0[name]?.count ?? 0 } }

    enum Turn {
        /// The caller asks Google, and calls `end` in any case.
        case first
        /// Another request has asked. Without an outcome it went away, and the caller begins again.
        case after(Outcome?)
    }

    /// Waits while another request asks about the token of this name.
    func turn(_ name: [UInt8]) async -> Turn {
        let isFirst = waiters.withLock { waiters in
            guard waiters[name] == nil else { return false }
            waiters[name] = []
            return true
        }
        if isFirst { return .first }
        return .after(
            await withCheckedContinuation { waiter in
                let isOver = waiters.withLock { waiters in
                    guard waiters[name] != nil else { return true }
                    waiters[name]?.append(waiter)
                    return false
                }
                if isOver { waiter.resume(returning: nil) }
            })
    }

    func end(_ name: [UInt8], _ outcome: Outcome?) {
        for waiter in waiters.withLock({ $0.removeValue(forKey: name) ?? [] }) { waiter.resume(returning: outcome) }
    }
}
