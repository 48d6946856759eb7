import Runtime
import Synchronization

/// Passes news about the database between the loops of one process.
///
/// They take connections from one another when the server allows fewer than all of them want: each loop needs one for reads, and one for
/// writes while it has something to write, before any loop gets more. And the loop that first reaches the server after an outage tells the
/// others, so that all of them serve again at the same time.
package final class ConnectionShare: Sendable {
    private struct Member {
        weak var database: Database?
    }

    private let members = Mutex<[Member]>([])

    package init() {}

    func join(_ database: Database) {
        members.withLock { $0.append(Member(database: database)) }
    }

    /// Whether a connection was refused because there are too many, for the role, the database or the server (SQLSTATE 53300).
    static func isLimit(_ reason: String) -> Bool { reason.contains(" 53300: ") }

    /// Asks the databases one after the other for a connection until one gives it, for a database whose only connection of this kind was
    /// refused.
    func ask(for database: Database, _ kind: DatabaseConnection.Kind) {
        let members = members.withLock { $0.compactMap(\.database) }
        let place = members.firstIndex { $0 === database } ?? 0
        // Begins behind the asking database, so that not all databases ask the same one first. It may ask itself last: a read may take a
        // connection from its own loop's writes.
        let others = members[(place + 1)...] + members[..<place]
        ask(kind == .read ? others + [database] : others)
    }

    /// Lets the other databases try again now, because the server has answered this one.
    func tellOthers(than database: Database) {
        for member in members.withLock({ $0.compactMap(\.database) }) where member !== database {
            member.loop.execute { member.assumeIsolated { $0.tryNow() } }
        }
    }

    private func ask(_ members: ArraySlice<Database>) {
        guard let member = members.first else { return }
        member.loop.execute {
            if !member.assumeIsolated({ $0.giveBack() }) { self.ask(members.dropFirst()) }
        }
    }
}

extension Database {
    /// Longer than any pause before the other loop's next attempt (`Outage`).
    private static let holdingBack: Duration = .seconds(6)

    private static let givingBack = "another loop needs a connection"

    /// Closes a connection that this loop does not need, now or as soon as it has done its work; `false` when all are needed.
    @discardableResult
    func giveBack() -> Bool {
        owesConnection = false
        if let slot = pool.idleSlots.last {
            if pool.count(.idle) + pool.count(.busy) > 1 { holdBack() }
            closeWrite(slot, Self.givingBack)
            return true
        }
        if let connection = spareRead() {
            holdBack()
            retire([connection], Self.givingBack)
            return true
        }
        owesConnection = pool.count(.busy) > 1
        return owesConnection
    }

    /// The connection for reads with the least work, if there is another one. Reads that wait on it are sent again on the other one.
    private func spareRead() -> DatabaseConnection? {
        let ready = ready(.read)
        guard ready.count > 1 else { return nil }
        return ready.min { first, second in first.assumeIsolated { $0.load } < second.assumeIsolated { $0.load } }
    }

    private func holdBack() { holdsBackUntil = loop.now + Self.holdingBack }

    /// Whether this loop opens no more connections, since another loop has none.
    func holdsBack(_ kind: DatabaseConnection.Kind) -> Bool {
        guard let end = holdsBackUntil else { return false }
        return loop.now < end && hasConnection(kind)
    }

    func hasConnection(_ kind: DatabaseConnection.Kind) -> Bool { kind == .read ? hasReadConnection : pool.hasConnection }
}
