/// One row of an answer. A `RowReader` reads its columns.
package struct Row: Sendable {
    let result: ResultSet
    let index: Int32

    /// Reads the row, beginning with its first column.
    package func reader() -> RowReader { RowReader(source: .result(result), index: index) }

    /// The value of the first column, for a statement that asks for a single value. Throws what `RowReader.next` throws.
    package func value<T: SQLValue>(as type: T.Type = T.self) throws(PostgresError) -> T { try result.value(row: index, column: 0) }
}

extension ResultSet {
    func value<T: SQLValue>(row: Int32, column: Int32) throws(PostgresError) -> T {
        guard column < columns else { throw .decoding("column \(column) does not exist; the answer has \(columns) columns") }
        if isNull(row, column) {
            guard let null = T.null else { throw .decoding("column \(column) (\(name(column))) is NULL, not \(T.self)") }
            return null
        }
        let type = type(column)
        guard let value = withCell(row, column, { T.decode($0, type) }) else {
            throw .decoding("column \(column) (\(name(column))) of type \(type.rawValue) is not \(T.self)")
        }
        return value
    }
}
