import HTTP
import Synchronization
import Text

/// What all loops of a process count together: open connections, in all and by client address, and the memory of incomplete requests.
package final class Admission: Sendable {
    /// Where a connection is counted.
    enum Place {
        case ordinary
        /// Beyond the limit of connections: for health checks alone, so that a full server does not look like a dead one.
        case reserve
    }

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

    private let counts = Mutex((ordinary: Counts(), reserve: Counts()))
    private let memory = Atomic<Int>(0)

    package init() {}

    /// Counts the connection, or says no with `nil`.
    func admit(_ address: Address, limits: ServerLimits, isExempt: Bool) -> Place? {
        counts.withLock { counts in
            let key = address.limitKey
            guard isExempt || counts.ordinary.byAddress[key, default: 0] < limits.connectionsPerAddress else { return nil }
            if counts.ordinary.total < limits.connections {
                counts.ordinary.add(key)
                return .ordinary
            }
            guard counts.reserve.total < limits.reserve,
                isExempt || counts.reserve.byAddress[key, default: 0] < limits.reservePerAddress
            else { return nil }
            counts.reserve.add(key)
            return .reserve
        }
    }

    func release(_ address: Address, _ place: Place) {
        counts.withLock { counts in
            switch place {
            case .ordinary: counts.ordinary.remove(address.limitKey)
            case .reserve: counts.reserve.remove(address.limitKey)
            }
        }
    }

    /// What incomplete requests hold in memory, in bytes.
    var held: Int { memory.load(ordering: .relaxed) }

    func hold(_ bytes: Int) { memory.wrappingAdd(bytes, ordering: .relaxed) }
}
