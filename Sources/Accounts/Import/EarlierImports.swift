import Postgres
import ProjectSettings

extension AccountImport {
    /// An account that an import has made.
    package struct Earlier: Sendable, Equatable {
        package let id: String
        /// Whether nothing of what an import takes over was changed here since the last import. A sign-in is no such change.
        package let isUnchangedHere: Bool
    }

    private static let pageLength = 1000

    /// Accounts that imports have made, in the order of their ids, at most a thousand.
    ///
    /// - Parameter id: the last one of the page before; `nil` for the first page.
    package func earlier(after id: String?, by administrator: Administrator) async throws(AccountError) -> [Earlier] {
        let project = administrator.project
        let rows = try await storage.read(
            """
            SELECT \(Account.columns(in: project)), m.digest, m.fields FROM imported_accounts m
            JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = m.account_id
            WHERE m.project_id = \(project: project) AND m.account_id > \(id ?? "") ORDER BY m.account_id LIMIT \(Self.pageLength)
            """)
        return try reading {
            try rows.compactMap { row in
                var row = row.reader()
                guard let account = try Account(&row) else { return nil }
                let memory = ImportMemory(digest: try row.next(), fields: try row.next())
                return Earlier(id: account.id, isUnchangedHere: memory.isAsStored(account))
            }
        }
    }
}
