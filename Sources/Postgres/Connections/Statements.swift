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
    private var byText: [String: Prepared] = [:]
    /// A name is never used twice on a connection, so a forgotten name cannot come up again.
    private var lastNumber = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How to send `sql`. From then on a new statement counts as prepared.
    mutating func plan(_ sql: SQL) -> Plan {
        let text = sql.text
        if let prepared = byText[text] {
            return sql.values.fit(prepared.types) ? .known(prepared.name) : .unprepared
        }
        guard byText.count < capacity else { return .unprepared }
        lastNumber += 1
        let name = "s\(lastNumber)"
        byText[text] = Prepared(name: name, types: sql.values.slots.map(\.type))
        return .new(name)
    }

    /// Forgets `sql` if it is prepared under `name`.
    mutating func forget(_ sql: SQL, _ name: String) {
        let text = sql.text
        if byText[text]?.name == name { byText[text] = nil }
    }
}
