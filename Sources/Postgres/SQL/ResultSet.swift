import CPostgres

/// The result of one statement. It owns the `PGresult`, which is never changed once it is here.
final class ResultSet: @unchecked Sendable {
    // @unchecked Sendable because a PGresult is only read after it was received, which libpq allows from any thread.
    private let raw: OpaquePointer
    let rows: Int32
    let columns: Int32

    init(_ raw: OpaquePointer) {
        self.raw = raw
        rows = PQntuples(raw)
        columns = PQnfields(raw)
    }

    deinit { PQclear(raw) }

    var status: ExecStatusType { PQresultStatus(raw) }

    func all() -> [Row] {
        if rows == 0 { return [] }
        return (0..<rows).map { Row(result: self, index: $0) }
    }

    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(raw, row, column) != 0 }

    func type(_ column: Int32) -> SQLType { SQLType(rawValue: PQftype(raw, column)) }

    func name(_ column: Int32) -> String { PQfname(raw, column).map { String(cString: $0) } ?? "" }

    func withCell<T>(_ row: Int32, _ column: Int32, _ body: (RawSpan) -> T) -> T {
        let cell = UnsafeRawBufferPointer(start: PQgetvalue(raw, row, column), count: Int(PQgetlength(raw, row, column)))
        return body(cell.bytes)
    }

    /// The server's error; `nil` when libpq made the result itself because the connection broke.
    var serverError: ServerError? {
        guard let state = field(DiagnosticFieldState) else { return nil }
        let severity = field(DiagnosticFieldSeverity)
        return ServerError(
            state: state, message: field(DiagnosticFieldMessage) ?? "", constraint: field(DiagnosticFieldConstraint),
            column: field(DiagnosticFieldColumn), endsConnection: severity == "FATAL" || severity == "PANIC")
    }

    /// The position of the error in the statement, in characters from 1.
    var errorPosition: Int? { field(DiagnosticFieldPosition).flatMap { Int($0) } }

    private func field(_ field: DiagnosticField) -> String? {
        PQresultErrorField(raw, Int32(field.rawValue)).map { String(cString: $0) }
    }
}

extension ResultSet {
    /// Whether it is the answer to a COPY or to a simple query.
    var isOfCopy: Bool { [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_FATAL_ERROR].contains(status) }

    /// The result as the pipeline sees it; `nil` when the connection broke, or when a pipeline cannot give such a result.
    var received: Pipeline.Received? {
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .rows
        case PGRES_PIPELINE_SYNC: .synced
        case PGRES_PIPELINE_ABORTED: .skipped
        case PGRES_FATAL_ERROR: serverError.map { .refused($0) }
        default: nil
        }
    }
}
