package import Postgres

/// Finds the people of a database who were erased since it was backed up, by the names of the file of erasures (`ErasedNames`).
package struct ErasureSearch: Sendable {
    /// The number of ids that one statement reads.
    private static let page = 1000

    private let storage: Storage
    private let names: ErasedNames

    package init(database: Database, masterKey: MasterKey) {
        storage = Storage(database: database)
        names = ErasedNames(masterKey: masterKey)
    }

    /// The ids of a project's people whose names are among `erased`, each with its name: of accounts, and of what is left of deleted ones.
    package func find(_ erased: Set<String>, in project: String) async throws(AccountError) -> [(id: String, name: String)] {
        var found: [String: String] = [:]
        for (table, rows) in PersonalRows.found where rows.fate != .goWithAccount && rows.ids == ["account_id"] {
            var position = ""
            while let page = try await ids(behind: position, of: table, in: project) {
                for id in page {
                    if let name = names.all(of: id, in: project).first(where: erased.contains) { found[id] = name }
                    position = id
                }
            }
        }
        return found.map { ($0.key, $0.value) }.sorted { $0.id < $1.id }
    }

    /// `nil` when there are no more.
    private func ids(behind position: String, of table: String, in project: String) async throws(AccountError) -> [String]? {
        let rows = try await storage.read(
            """
            SELECT DISTINCT account_id FROM \(SQL(unsafe: table)) WHERE project_id = \(project: project) AND account_id > \(position)
            ORDER BY account_id LIMIT \(Self.page)
            """)
        let ids = try reading { try rows.map { row throws(PostgresError) in try row.value(as: String.self) } }
        return ids.isEmpty ? nil : ids
    }
}
