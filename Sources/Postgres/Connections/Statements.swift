/// The statements prepared on one connection, by what they consist of.
///
/// Full, it prepares no more: later ones are sent unprepared, so texts made at run time can't fill the server's memory.
struct Statements {
    enum Plan: Equatable {
        case known(String)
        /// To be prepared under this name first.
        case new(String)
        /// To be sent with its text: the table is full, or the statement is prepared for other types.
        case unprepared
    }

    private struct Prepared {
        let name: String
        let types: [SQLType]
    }

    let capacity: Int
    private var byShape: [Shape: Prepared] = [:]
    /// Names are never used twice on a connection, so a forgotten one can't be met again.
    private var lastNumber = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How to send `sql`; a new statement counts as prepared from here on.
    mutating func plan(_ sql: SQL) -> Plan {
        if let prepared = byShape[sql.shape] {
            return sql.values.fit(prepared.types) ? .known(prepared.name) : .unprepared
        }
        guard byShape.count < capacity else { return .unprepared }
        lastNumber += 1
        let name = "s\(lastNumber)"
        byShape[sql.shape] = Prepared(name: name, types: sql.values.slots.map(\.type))
        return .new(name)
    }

    /// Forgets `sql` if `name` is what it is prepared as.
    mutating func forget(_ sql: SQL, _ name: String) {
        if byShape[sql.shape]?.name == name { byShape[sql.shape] = nil }
    }
}
