package import Runtime

/// One row of a result; its columns are read by position, as typed values.
package struct Row: Sendable {
    let result: ResultSet
    let index: Int32

    /// The value in `column`, counted from 0.
    ///
    /// Throws `.decoding` when the column is NULL and `T` is not optional, or when `T` cannot be read from its type. The error names the
    /// column, not the value.
    package func get<T: SQLValue>(_ column: Int, as type: T.Type = T.self) throws(PostgresError) -> T {
        try result.value(row: index, column: column)
    }
}

/// The same for the types of most columns: a generic function of another module asks the runtime for its types at every call.
extension Row {
    package func get(_ column: Int, as type: String.Type = String.self) throws(PostgresError) -> String {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: String?.Type = String?.self) throws(PostgresError) -> String? {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: Bool.Type = Bool.self) throws(PostgresError) -> Bool {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: Int64.Type = Int64.self) throws(PostgresError) -> Int64 {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: Instant.Type = Instant.self) throws(PostgresError) -> Instant {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: Instant?.Type = Instant?.self) throws(PostgresError) -> Instant? {
        try result.value(row: index, column: column)
    }

    package func get(_ column: Int, as type: [UInt8].Type = [UInt8].self) throws(PostgresError) -> [UInt8] {
        try result.value(row: index, column: column)
    }
}

extension ResultSet {
    fileprivate func value<T: SQLValue>(row: Int32, column: Int) throws(PostgresError) -> T {
        guard column >= 0, column < columns else {
            throw .decoding("column \(column) does not exist; the answer has \(columns) columns")
        }
        let column = Int32(truncatingIfNeeded: column)
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
