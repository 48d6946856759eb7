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
    }

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// Entries that are not pinned as configured, as the database has them.
    package struct Unpinned: Sendable {
        fileprivate let projects: [Differing]

        /// The entries that are pinned to another issuer than the configured one, and have identities under it.
        package var conflicts: [Entry] { projects.flatMap(\.pinnedInUse) }
    }

    /// Compares what is configured with what is pinned. Changes nothing. One round trip.
    package func unpinned(_ configured: [Entry]) async throws(AccountError) -> Unpinned {
        Unpinned(projects: try await differing(from: configured))
    }

    /// The same, for those who pin nothing.
    package func conflicts(with configured: [Entry]) async throws(AccountError) -> [Entry] { try await unpinned(configured).conflicts }

    /// Pins every provider to its configured issuer, unless identities exist under another one. From then on, only identities of these
    /// issuers can sign in and be stored. Writes only for projects of which something is to be changed, for one after the other.
    ///
    /// - Returns: the entries that are pinned to another issuer and have identities under it.
    @discardableResult
    package func pin(_ configured: [Entry]) async throws(AccountError) -> [Entry] {
        let unpinned = try await unpinned(configured)
        try await pin(unpinned)
        return unpinned.conflicts
    }

    /// The same for entries that have been compared.
    ///
    /// - Parameter left: the projects of which nothing is pinned.
    package func pin(_ unpinned: Unpinned, except left: Set<String> = []) async throws(AccountError) {
        for project in unpinned.projects where !project.free.isEmpty && !left.contains(project.free[0].projectID) {
            _ = try await storage.write(all: project.free.flatMap(Self.pin))
        }
    }

    /// The entries of one project that are not pinned as configured.
    fileprivate struct Differing: Sendable {
        /// Those that nothing keeps from being pinned, as configured.
        var free: [Entry] = []
        /// Those that identities keep, as pinned.
        var pinnedInUse: [Entry] = []
    }

    /// Each project has a statement of its own; all are sent together.
    private func differing(from configured: [Entry]) async throws(AccountError) -> [Differing] {
        let projects = Dictionary(grouping: configured, by: \.projectID).sorted { $0.key < $1.key }
        let results = try await storage.write(all: projects.map { Self.select($0.value, in: $0.key) })
        return try reading {
            try zip(projects, results).map { project, rows throws(PostgresError) in
                var differing = Differing()
                for row in rows {
                    var row = row.reader()
                    let (provider, issuer): (String, String) = (try row.next(), try row.next())
                    let (pinned, isInUse): (String?, Bool) = (try row.next(), try row.next())
                    if let pinned, isInUse {
                        differing.pinnedInUse.append(Entry(projectID: project.key, providerID: provider, issuer: pinned))
                    } else {
                        differing.free.append(Entry(projectID: project.key, providerID: provider, issuer: issuer))
                    }
                }
                return differing
            }
        }
    }

    /// Selects the providers of one project that are not pinned as configured: provider, configured and pinned issuer, and whether there are
    /// identities.
    private static func select(_ configured: [Entry], in projectID: String) -> SQL {
        """
        SELECT configured.*, pinned.issuer, EXISTS (
            SELECT 1 FROM identities i WHERE i.project_id = \(project: projectID) AND i.provider_id = configured.provider_id)
        FROM unnest(\(configured.map(\.providerID)), \(configured.map(\.issuer))) AS configured (provider_id, issuer)
        LEFT JOIN provider_issuers pinned ON pinned.project_id = \(project: projectID) AND pinned.provider_id = configured.provider_id
        WHERE pinned.issuer IS DISTINCT FROM configured.issuer ORDER BY 1
        """
    }

    private static func pin(_ entry: Entry) -> [SQL] {
        [
            """
            INSERT INTO provider_issuers (project_id, provider_id, issuer)
            VALUES (\(project: entry.projectID), \(entry.providerID), \(entry.issuer)) ON CONFLICT DO NOTHING
            """,
            """
            UPDATE provider_issuers SET issuer = \(entry.issuer)
            WHERE project_id = \(project: entry.projectID) AND provider_id = \(entry.providerID) AND issuer <> \(entry.issuer)
                AND NOT EXISTS (
                    SELECT 1 FROM identities i WHERE i.project_id = \(project: entry.projectID) AND i.provider_id = \(entry.providerID))
            """,
        ]
    }
}
