package import Postgres

/// Which issuer a project's identities of a provider come from: under another issuer the same subject is another person.
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
    }

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// Remembers the configured issuers, and gives back what is stored where identities exist under another one. One round trip for any
    /// number of projects.
    package func conflicts(with configured: [Entry]) async throws(AccountError) -> [Entry] {
        let projects = configured.map(\.projectID)
        let providers = configured.map(\.providerID)
        let issuers = configured.map(\.issuer)
        let rows = try await storage.write(all: [
            """
            INSERT INTO provider_issuers AS stored (project_id, provider_id, issuer)
            SELECT * FROM unnest(\(projects), \(providers), \(issuers))
            ON CONFLICT (project_id, provider_id) DO UPDATE SET issuer = excluded.issuer
            WHERE stored.issuer <> excluded.issuer AND NOT EXISTS (
                SELECT 1 FROM identities i WHERE i.project_id = excluded.project_id AND i.provider_id = excluded.provider_id)
            """,
            """
            SELECT stored.project_id, stored.provider_id, stored.issuer
            FROM unnest(\(projects), \(providers), \(issuers)) AS configured (project_id, provider_id, issuer)
            JOIN provider_issuers stored USING (project_id, provider_id)
            WHERE stored.issuer <> configured.issuer ORDER BY 1, 2
            """,
        ])
        do {
            return try (rows.last ?? []).map { row throws(PostgresError) in
                Entry(projectID: try row.get(0), providerID: try row.get(1), issuer: try row.get(2))
            }
        } catch { throw .database(error) }
    }
}
