import HTTP
import Synchronization

/// How many connections are open, in all and by client address: one for all loops of a process.
package final class Admission: Sendable {
    private struct Counts {
        var total = 0
        var byAddress: [Address: Int] = [:]
    }

    private let counts = Mutex(Counts())

    package init() {}

    /// Counts the connection, or says no.
    func admit(_ address: Address, limits: ServerLimits, isExempt: Bool) -> Bool {
        counts.withLock { counts in
            let key = address.limitKey
            let open = counts.byAddress[key, default: 0]
            guard counts.total < limits.connections, isExempt || open < limits.connectionsPerAddress else { return false }
            counts.total += 1
            counts.byAddress[key] = open + 1
            return true
        }
    }

    func release(_ address: Address) {
        counts.withLock { counts in
            let key = address.limitKey
            counts.total -= 1
            guard let open = counts.byAddress[key] else { return }
            counts.byAddress[key] = open > 1 ? open - 1 : nil
        }
    }
}
