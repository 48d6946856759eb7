package import Postgres

/// Which issuer a project's identities of a provider come from: under another issuer the same subject is another person.
package struct ProviderIssuers: Sendable {
    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// Remembers the issuer, or tells that identities of the provider were stored under another one, which is given back.
    package func conflict(project: String, provider: String, issuer: String) async throws(AccountError) -> String? {
        let results = try await storage.write(all: [
            """
            INSERT INTO provider_issuers (project_id, provider_id, issuer) VALUES (\(project), \(provider), \(issuer))
            ON CONFLICT (project_id, provider_id) DO UPDATE SET issuer = excluded.issuer
            WHERE NOT EXISTS (SELECT 1 FROM identities i WHERE i.project_id = excluded.project_id AND i.provider_id = excluded.provider_id)
            """,
            "SELECT issuer FROM provider_issuers WHERE project_id = \(project) AND provider_id = \(provider)",
        ])
        do {
            guard let stored: String = try results.last?.first?.get(0), stored != issuer else { return nil }
            return stored
        } catch { throw .database(error) }
    }
}
