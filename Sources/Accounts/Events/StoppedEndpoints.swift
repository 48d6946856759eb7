import Postgres
package import ProjectSettings
import Runtime

/// The endpoints that have answered that they are gone.
package struct StoppedEndpoints: Sendable {
    let storage: Storage
    let clock: Clock

    package init(_ deliveries: Deliveries) {
        storage = deliveries.storage
        clock = deliveries.clock
    }

    /// The ids of those of a project.
    package func list(in project: ProjectSettings) async throws(AccountError) -> Set<String> {
        let rows = try await storage.read("SELECT endpoint FROM stopped_endpoints WHERE project_id = \(project: project)")
        return try reading { Set(try rows.map { try $0.value(as: String.self) }) }
    }

    /// Notes that an endpoint is gone.
    package func add(_ endpoint: String, in projectID: String) async throws(AccountError) {
        _ = try await storage.write(
            """
            INSERT INTO stopped_endpoints (project_id, endpoint, stopped_at) VALUES (\(project: projectID), \(endpoint), \(clock.now()))
            ON CONFLICT (project_id, endpoint) DO NOTHING
            """)
    }

    /// Tells an endpoint again. Returns whether it was stopped.
    package func remove(_ endpoint: String, in project: ProjectSettings) async throws(AccountError) -> Bool {
        let rows = try await storage.write(
            """
            DELETE FROM stopped_endpoints WHERE project_id = \(project: project) AND endpoint = \(endpoint) RETURNING 1::bigint
            """)
        return !rows.isEmpty
    }
}
