package import Runtime

/// Reads the columns of a row one after another, in the order in which the statement names them.
///
/// The list of columns and the code that reads them stand side by side in one order, so neither counts columns. A column that cannot be
/// read is passed over, too.
package struct RowReader: Sendable {
    let source: Source
    let index: Int32
    /// The column that is read next, counted from 0.
    var column: Int32 = 0

    enum Source: Sendable {
        /// The row number `index` of a result.
        case result(ResultSet)
        case copied(CopiedRow)
    }

    /// The value of the next column.
    ///
    /// Throws `.decoding` when the column is NULL and `T` is not optional, or when `T` cannot be read from its type; the error names the
    /// column, not the value.
    package mutating func next<T: SQLValue>(as type: T.Type = T.self) throws(PostgresError) -> T { try take() }

    private mutating func take<T: SQLValue>() throws(PostgresError) -> T {
        defer { column += 1 }
        return switch source {
        case .result(let result): try result.value(row: index, column: column)
        case .copied(let row): try row.value(column)
        }
    }
}

/// The same for the types that most columns have: what is generic in another module asks the runtime for its types at every call.
extension RowReader {
    package mutating func next(as type: String.Type = String.self) throws(PostgresError) -> String { try take() }
    package mutating func next(as type: String?.Type = String?.self) throws(PostgresError) -> String? { try take() }
    package mutating func next(as type: Bool.Type = Bool.self) throws(PostgresError) -> Bool { try take() }
    package mutating func next(as type: Int64.Type = Int64.self) throws(PostgresError) -> Int64 { try take() }
    package mutating func next(as type: Instant.Type = Instant.self) throws(PostgresError) -> Instant { try take() }
    package mutating func next(as type: Instant?.Type = Instant?.self) throws(PostgresError) -> Instant? { try take() }
    package mutating func next(as type: [UInt8].Type = [UInt8].self) throws(PostgresError) -> [UInt8] { try take() }
    package mutating func next(as type: [String?].Type = [String?].self) throws(PostgresError) -> [String?] { try take() }
}
