package import Postgres

/// The issuer of a project's identities of a provider. Under another issuer, the same subject is another person.
package struct ProviderIssuers: Sendable {
    package struct Entry: Sendable, Equatable {
        package let projectID: String
        package let providerID: String
        package let issuer: String

        package init(projectID: String, providerID: String, issuer: String) {
            self.projectID = projectID
            self.providerID = providerID
            self.issuer = issuer
        }

        fileprivate init(_ row: Row) throws(PostgresError) {
            var row = row.reader()
            self.init(projectID: try row.next(), providerID: try row.next(), issuer: try row.next())
        }
    }

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// The entries that are pinned to another issuer than the configured one, and have identities under it. Changes nothing.
    package func conflicts(with configured: [Entry]) async throws(AccountError) -> [Entry] {
        let rows = try await storage.read(
            """
            SELECT project_id, provider_id, pinned.issuer FROM \(Self.table(configured)) JOIN provider_issuers pinned USING (project_id, provider_id)
            WHERE pinned.issuer <> configured.issuer AND \(Self.isInUse) ORDER BY 1, 2
            """)
        return try reading { try rows.map(Entry.init) }
    }

    /// Pins every provider to its configured issuer, unless identities exist under another one. From then on, only identities of these
    /// issuers can sign in and be stored.
    package func pin(_ configured: [Entry]) async throws(AccountError) {
        _ = try await storage.write(
            """
            INSERT INTO provider_issuers AS pinned (project_id, provider_id, issuer)
            SELECT project_id, provider_id, issuer FROM \(Self.table(configured))
            ON CONFLICT (project_id, provider_id) DO UPDATE SET issuer = excluded.issuer
            WHERE pinned.issuer <> excluded.issuer AND NOT \(Self.isInUse)
            """)
    }

    private static func table(_ entries: [Entry]) -> SQL {
        """
        unnest(\(entries.map(\.projectID)), \(entries.map(\.providerID)), \(entries.map(\.issuer)))
            AS configured (project_id, provider_id, issuer)
        """
    }

    private static let isInUse: SQL = """
        EXISTS (SELECT 1 FROM identities i WHERE i.project_id = pinned.project_id AND i.provider_id = pinned.provider_id)
        """
}
