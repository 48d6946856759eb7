package import Postgres
import ProjectSettings
package import Runtime

/// A tenant that an administrator made by a call, as it is stored.
package struct StoredTenant: Sendable, Equatable {
    package let id: String
    /// A JSON object: the settings that were set.
    package let settings: String
    package let changedAt: Instant
    package let isDeleted: Bool
}

/// The rows of tenants that administrators make by calls. They are the whole project's, as service accounts are.
package struct TenantRows: Sendable {
    let storage: Storage
    package let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    package func find(_ id: String, of projectID: String) async throws(AccountError) -> StoredTenant? {
        let rows = try await storage.read(
            "SELECT \(Self.columns) FROM tenants WHERE project_id = \(project: projectID) AND tenant_id = \(id)")
        return try Self.tenants(rows).first
    }

    /// Those that were changed, made or deleted since then; without a time, all of them.
    package func changed(since time: Instant?, of projectID: String) async throws(AccountError) -> [StoredTenant] {
        let since: SQL = time.map { "AND changed_at >= \($0)" } ?? ""
        return try Self.tenants(
            await storage.read("SELECT \(Self.columns) FROM tenants WHERE project_id = \(project: projectID) \(since)"))
    }

    private static let columns: SQL = "tenant_id, settings, changed_at, deleted_at IS NOT NULL"

    private static func tenants(_ rows: [Row]) throws(AccountError) -> [StoredTenant] {
        try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return StoredTenant(id: try row.next(), settings: try row.next(), changedAt: try row.next(), isDeleted: try row.next())
            }
        }
    }

    /// Stores a new tenant. Throws `conflict` where its id was used before.
    package func insert(_ id: String, _ settings: String, by administrator: Administrator) async throws(AccountError) -> StoredTenant {
        let now = clock.now()
        try await write(
            """
            INSERT INTO tenants (project_id, tenant_id, settings, changed_at)
            VALUES (\(project: administrator.project), \(id), \(settings), \(now)) ON CONFLICT DO NOTHING RETURNING tenant_id
            """, .tenantCreated, id, by: administrator, at: now, and: [KnownProjects.remember(storageID(id, administrator))])
        return StoredTenant(id: id, settings: settings, changedAt: now, isDeleted: false)
    }

    /// Stores other settings of a tenant. Throws `conflict` where it is not as `former` any more.
    package func update(_ former: StoredTenant, to settings: String, by administrator: Administrator) async throws(AccountError)
        -> StoredTenant
    {
        let now = now(after: former)
        try await write(
            change(former, "settings = \(settings)", by: administrator, at: now), .tenantChanged, former.id, by: administrator, at: now)
        return StoredTenant(id: former.id, settings: settings, changedAt: now, isDeleted: false)
    }

    /// Marks a tenant as deleted. What it has is deleted a while later (`Cleanup.emptyDeletedTenants`).
    package func delete(_ former: StoredTenant, by administrator: Administrator) async throws(AccountError) -> StoredTenant {
        let now = now(after: former)
        try await write(
            change(former, "deleted_at = \(now)", by: administrator, at: now), .tenantDeleted, former.id, by: administrator, at: now)
        return StoredTenant(id: former.id, settings: former.settings, changedAt: now, isDeleted: true)
    }

    /// Forgets that tenants were deleted whose ids files have now.
    package func forget(_ ids: [String], of projectID: String) async throws(AccountError) {
        _ = try await storage.write(
            "DELETE FROM tenants WHERE project_id = \(project: projectID) AND tenant_id = ANY(\(ids)) AND deleted_at IS NOT NULL")
    }

    /// Later than the state before, whatever the clocks of two processes say: others take only what is newer.
    private func now(after former: StoredTenant) -> Instant { max(clock.now(), former.changedAt + .microseconds(1)) }

    private func change(_ former: StoredTenant, _ assignment: SQL, by administrator: Administrator, at now: Instant) -> SQL {
        """
        UPDATE tenants SET \(assignment), changed_at = \(now)
        WHERE project_id = \(project: administrator.project) AND tenant_id = \(former.id) AND changed_at = \(former.changedAt)
            AND deleted_at IS NULL
        RETURNING tenant_id
        """
    }

    private func storageID(_ id: String, _ administrator: Administrator) -> String {
        ProjectSettings.storageID(project: administrator.project.id, tenant: id)
    }

    private func write(
        _ statement: SQL, _ action: AuditEvent.Action, _ id: String, by administrator: Administrator, at now: Instant,
        and others: [SQL] = []
    ) async throws(AccountError) {
        let record = administrator.act(on: nil, at: now).record(
            action, facts: "'tenant', \(id)::text", in: administrator.project.storageID)
        _ = try await storage.write(all: [.required(statement), record] + others, by: administrator)
    }
}
