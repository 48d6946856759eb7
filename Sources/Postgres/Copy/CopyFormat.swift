import Runtime

// The binary format of COPY: a header; then each row as the number of its fields and, for each, its length (-1 for NULL) and bytes; then -1.
// <https://www.postgresql.org/docs/15/sql-copy.html> ("Binary Format")

/// Rows for a COPY into a table, in the order of its columns.
package struct CopyRows: Sendable {
    static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    /// The signature, no flags, no extension.
    static let header = signature + [UInt8](repeating: 0, count: 8)
    static let end: [UInt8] = [0xFF, 0xFF]

    let columns: Int16
    private(set) var bytes = Self.header
    package private(set) var count = 0
    private(set) var holdNUL = false

    package init(columns: Int) { self.columns = Int16(clamping: columns) }

    /// Adds a row: `write` gives the fields one after another, as many as there are columns.
    package mutating func append(_ write: (inout Row) -> Void) {
        columns.append(to: &bytes)
        var row = Row(bytes: bytes)
        // Only one of the two may hold the buffer, or it would be copied.
        bytes = []
        write(&row)
        precondition(row.fields == columns, "a row with another number of fields than columns")
        bytes = row.bytes
        holdNUL = holdNUL || row.holdsNUL
        count += 1
    }

    package struct Row: ~Copyable {
        fileprivate var bytes: [UInt8]
        fileprivate var fields: Int16 = 0
        fileprivate var holdsNUL = false

        /// Adds the next field. Its Swift type must be that of the column: an `Int` is a `bigint`.
        package mutating func field(_ value: some SQLValue) {
            fields += 1
            if value.isNull { return Int32(-1).append(to: &bytes) }
            let start = bytes.count
            Int32(0).append(to: &bytes)
            value.encode(into: &bytes)
            let length = UInt32(clamping: bytes.count - start - 4)
            for byte in 0..<4 { bytes[start + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(byte))) }
            if value.holdsNUL { holdsNUL = true }
        }
    }
}

/// One row of a COPY from the server. A `RowReader` reads its fields as the types that the caller names, since COPY does not send types.
package struct CopiedRow: Sendable {
    private let bytes: [UInt8]
    /// Where each field is; `nil` for NULL.
    private let fields: [Range<Int>?]

    package func reader() -> RowReader { RowReader(source: .copied(self), index: 0) }

    /// - Parameter bytes: one row, without the header.
    init(_ bytes: [UInt8]) throws(PostgresError) {
        let span = bytes.span.bytes
        guard let count: Int16 = span.integer(), count >= 0 else { throw Self.malformed }
        var (fields, at): ([Range<Int>?], Int) = ([], 2)
        fields.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let length: Int32 = span.integer(at: at), length <= bytes.count - at - 4 else { throw Self.malformed }
            at += 4
            fields.append(length < 0 ? nil : at..<at + Int(length))
            at += Int(max(0, length))
        }
        (self.bytes, self.fields) = (bytes, fields)
    }

    static let malformed = PostgresError.decoding("a row of a COPY is malformed")

    func value<T: SQLValue>(_ column: Int32) throws(PostgresError) -> T {
        guard fields.indices.contains(Int(column)) else { throw .decoding("field \(column) does not exist; the row has \(fields.count)") }
        guard let field = fields[Int(column)] else {
            guard let null = T.null else { throw .decoding("field \(column) is NULL, not \(T.self)") }
            return null
        }
        guard let value = T.decode(bytes.span.bytes.extracting(field), T.sqlType) else {
            throw .decoding("field \(column) is not \(T.self)")
        }
        return value
    }
}
