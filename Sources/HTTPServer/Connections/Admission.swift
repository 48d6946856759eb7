import HTTP
import Synchronization
import Text

/// The counts that all loops of a process share: open connections, in total and by client address, and the memory of requests.
package final class Admission: Sendable {
    /// The limit under which a connection is counted.
    enum Place {
        case ordinary
        /// Beyond the limit of connections, only for health checks, so that a full server does not look like a dead one.
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

    /// Counts the connection; `nil` when it must be refused.
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

    /// The memory that requests use, in bytes: see `ServerLimits.unfinished`.
    var held: Int { memory.load(ordering: .relaxed) }

    func hold(_ bytes: Int) { memory.wrappingAdd(bytes, ordering: .relaxed) }
}
