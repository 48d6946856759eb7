package import Postgres

/// Every project that may have rows in the database, for work that no request waits for: it visits one project after the other.
///
/// A server remembers its projects before it serves them, so the list also has those whose files are gone.
package struct KnownProjects: Sendable {
    let storage: Storage

    package init(database: Database) { self.init(storage: Storage(database: database)) }

    init(storage: Storage) { self.storage = storage }

    /// Remembers one more.
    static func remember(_ storageID: String) -> SQL {
        "INSERT INTO projects (project_id) VALUES (\(storageID)) ON CONFLICT DO NOTHING"
    }

    /// The ids of all known projects, sorted, with the one of `AuditEvents.server`.
    ///
    /// - Parameter configured: projects to remember first.
    package func list(remembering configured: [String] = []) async throws(AccountError) -> [String] {
        let rows = try await storage.read("SELECT project_id FROM projects")
        let known = try reading { Set(try rows.map { row throws(PostgresError) in try row.value(as: String.self) }) }
        let new = Set(configured).subtracting(known)
        if !new.isEmpty {
            _ = try await storage.write("INSERT INTO projects SELECT unnest(\(new.sorted())) ON CONFLICT DO NOTHING")
        }
        return known.union(new).sorted()
    }
}
