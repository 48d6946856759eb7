package import Postgres
import Text

/// The sites (RP IDs) for which the people of projects have passkeys. No other site can use them.
package struct PasskeySites: Sendable {
    /// A project and a site: the configured one, or one that is stored.
    package struct Entry: Sendable, Equatable {
        package let projectID: String
        package let rpID: String

        package init(projectID: String, rpID: String) {
            self.projectID = projectID
            self.rpID = rpID
        }
    }

    let storage: Storage

    package init(database: Database) { storage = Storage(database: database) }

    /// The sites of stored passkeys where they are others than the configured ones. Each project has a statement of its own, which reads the
    /// first and the last of an index; all are sent together.
    package func conflicts(with configured: [Entry]) async throws(AccountError) -> [Entry] {
        guard !configured.isEmpty else { return [] }
        let results = try await storage.write(all: configured.map { Self.select(in: $0.projectID) })
        return try reading {
            try zip(configured, results).flatMap { entry, rows throws(PostgresError) -> [Entry] in
                guard var row = rows.first?.reader() else { return [] }
                let ends = [try row.next(as: String?.self), try row.next(as: String?.self)].compactMap(\.self)
                let others = Set(ends.filter { !$0.isExactly(entry.rpID) })
                return others.sorted().map { Entry(projectID: entry.projectID, rpID: $0) }
            }
        }
    }

    private static func select(in projectID: String) -> SQL {
        "SELECT min(rp_id), max(rp_id) FROM passkeys WHERE project_id = \(project: projectID)"
    }
}
