package import Postgres

/// Rows that many databases need and that take long to make: they are made in one database, and copied to the others. RSA keys for each
/// database would take more CPU time than all else in the Swift tests.
package actor SharedRows {
    private let tables: [SQL]
    private var rows: Task<[String], any Error>?

    package init(tables: [SQL]) { self.tables = tables }

    /// Puts the rows into the tables of this database: `make` does so for the first one.
    package func fill(_ database: Database, make: @escaping @Sendable () async throws -> Void) async throws {
        if let rows {
            for (table, text) in zip(tables, try await rows.value) {
                _ = try await database.write("INSERT INTO \(table) SELECT * FROM json_populate_recordset(NULL::\(table), \(text)::json)")
            }
        } else {
            let made = Task { [tables] in
                try await make()
                var rows: [String] = []
                for table in tables { rows.append(try await database.query("SELECT json_agg(r)::text FROM \(table) r")[0].value()) }
                return rows
            }
            rows = made
            _ = try await made.value
        }
    }
}
