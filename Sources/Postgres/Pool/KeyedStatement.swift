/// A statement that serves several calls at once: each has a key, and the keys are the rows of a `VALUES` list. A short statement costs
/// PostgreSQL more by itself than by the rows that it finds.
///
///     let names = KeyedStatement { keys in
///         "SELECT p.name, k.place FROM (VALUES \(keys)) k (place, id) JOIN people p ON p.id = k.id"
///     }
///
/// Make it once, since only calls of the same instance share a statement: reads by `KeyedReads`, writes by
/// `Database.write(_:for:sharingCommitAs:)`.
package final class KeyedStatement: Sendable {
    private let make: @Sendable (SQL) -> SQL

    /// - Parameter make: makes the statement, which finds or changes at most one row for a key, and returns the place of its key as the
    ///   last column. It gets a row in parentheses for each key: its place, a bigint, and then its values.
    package init(_ make: @escaping @Sendable (SQL) -> SQL) { self.make = make }

    /// The statement for these keys: each is values, separated by commas, as many and of the same types in every key.
    package func sql(for keys: [SQL]) -> SQL {
        var rows: SQL = ""
        for (place, key) in keys.enumerated() {
            if place > 0 { rows += ", " }
            rows += "(\(Int64(place)), \(key))"
        }
        return make(rows)
    }

    /// Gives each of `count` keys its own of the rows that the statement returned.
    func divide(_ rows: [Row], among count: Int) throws(PostgresError) -> [[Row]] {
        if count == 1 { return [rows] }
        var parts: [[Row]] = Array(repeating: [], count: count)
        for row in rows { try parts[row.place(below: count)].append(row) }
        return parts
    }
}

extension Row {
    /// The last column, a position in a list of `count`.
    fileprivate func place(below count: Int) throws(PostgresError) -> Int {
        let place: Int64 = try result.value(row: index, column: result.columns - 1)
        guard (0..<Int64(count)).contains(place) else { throw .decoding("\(place) is not the place of a key") }
        return Int(place)
    }
}
