import HTTP
import Synchronization
import Text

/// The counts that all loops of a process share: open connections, in total and by client address, and the memory of requests.
package final class Admission: Sendable {
    private struct Counts {
        var total = 0
        var byAddress: [Address: Int] = [:]

        mutating func add(_ key: Address) {
            total += 1
            byAddress[key, default: 0] += 1
        }

        mutating func remove(_ key: Address) {
            total -= 1
            guard let open = byAddress[key] else { return }
            byAddress[key] = open > 1 ? open - 1 : nil
        }
    }

    private let counts = Mutex(Counts())
    private let memory = Atomic<Int>(0)

    package init() {}

    /// Counts the connection; `false` when it must be refused.
    func admit(_ address: Address, limits: ServerLimits, isExempt: Bool) -> Bool {
        counts.withLock { counts in
            let key = address.limitKey
            guard isExempt || counts.byAddress[key, default: 0] < limits.connectionsPerAddress, counts.total < limits.connections else {
                return false
            }
            counts.add(key)
            return true
        }
    }

    func release(_ address: Address) { counts.withLock { $0.remove(address.limitKey) } }

    /// The memory that requests use, in bytes: see `ServerLimits.unfinished`.
    var held: Int { memory.load(ordering: .relaxed) }

    func hold(_ bytes: Int) { memory.wrappingAdd(bytes, ordering: .relaxed) }
}
