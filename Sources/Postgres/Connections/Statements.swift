import Synchronization

/// The statements that are prepared on one connection, by their text.
///
/// When it is full, it prepares no more: later statements are sent unprepared, so that texts made at run time cannot fill the server's
/// memory.
struct Statements {
    enum Plan: Equatable {
        case known(String)
        /// It must first be prepared under this name.
        case new(String)
        /// It must be sent with its text: the table is full, or the statement is prepared for other types.
        case unprepared
    }

    private struct Prepared {
        let name: String
        let types: [SQLType]
    }

    let capacity: Int
    private var byShape: [Shape: Prepared] = [:]
    /// A name is never used twice on a connection, so a forgotten name cannot come up again.
    private var lastNumber = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How to send `sql`. From then on a new statement counts as prepared.
    mutating func plan(_ sql: SQL) -> Plan {
        if let prepared = byShape[sql.shape] {
            return sql.values.fit(prepared.types) ? .known(prepared.name) : .unprepared
        }
        guard byShape.count < capacity else { return .unprepared }
        lastNumber += 1
        let name = "s\(lastNumber)"
        let (shape, types) = Self.shared(sql.shape, sql.values.slots.map(\.type))
        byShape[shape] = Prepared(name: name, types: types)
        return .new(name)
    }

    /// Forgets `sql` if it is prepared under `name`.
    mutating func forget(_ sql: SQL, _ name: String) {
        if byShape[sql.shape]?.name == name { byShape[sql.shape] = nil }
    }

    /// The statements of all connections, each with the types of its values. Most connections prepare the same ones, and all hold the copies
    /// from here.
    private static let known = Mutex<[Shape: [SQLType]]>([:])
    /// More than the program's own statements, so that texts made at run time cannot fill the memory.
    private static let mostKnown = 1024

    private static func shared(_ shape: Shape, _ types: [SQLType]) -> (Shape, [SQLType]) {
        known.withLock { known in
            if let place = known.index(forKey: shape) {
                let (shape, others) = known[place]
                return (shape, others == types ? others : types)
            }
            let shape = shape.compact
            if known.count < mostKnown { known[shape] = types }
            return (shape, types)
        }
    }
}
