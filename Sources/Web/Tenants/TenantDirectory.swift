package import Accounts
package import Logging
import ProjectSettings
package import Projects
import Runtime
import Synchronization
package import Text

/// Finds the tenants of projects: those of files, and those that administrators make by calls.
///
/// The latter are rows that every process has in memory. A process sees at once what it changed itself, and after `interval` what others changed. A
/// tenant that it does not know, it looks for in the database, so that a new one works everywhere from its first call.
package final class TenantDirectory: Sendable {
    /// How often each process looks for changes of others.
    package static let interval: Duration = .seconds(3)
    /// Two processes' clocks may differ by this, and a transaction may take so long.
    private static let overlap: Duration = .seconds(60)

    private let projects: ProjectDirectory
    private let log: Logger
    /// For each project, the rows that it has in memory, by the ids of their tenants. Shared by all loops.
    private let seen = Mutex<[String: Seen]>([:])

    private struct Seen {
        var until: Instant
        var rows: [UTF8Text: StoredTenant] = [:]
    }

    package init(_ projects: ProjectDirectory, log: Logger) {
        self.projects = projects
        self.log = log
    }

    /// The tenant of a project by its id; `nil` where it has none.
    package func tenant(_ id: UTF8Text, of project: Project, by rows: TenantRows) async throws(AccountError) -> Project? {
        if let known = current(project).tenants?.tenant(id) { return known }
        guard project.tenants?.template != nil, ProjectSettings.Tenant.isID(id.asString) else { return nil }
        guard let row = try await rows.find(id.asString, of: project.settings.id) else { return nil }
        take([row], of: project)
        return current(project).tenants?.tenant(id)
    }

    /// The same by the number in refresh tokens.
    package func tenant(sessionNumber number: Int64, of project: Project, by rows: TenantRows) async throws(AccountError) -> Project? {
        if let known = current(project).tenants?.tenant(sessionNumber: number) { return known }
        guard project.tenants?.template != nil else { return nil }
        try await refresh(project, by: rows)
        return current(project).tenants?.tenant(sessionNumber: number)
    }

    /// The stored form of a tenant; `nil` for one of a file, and for one that is not there.
    package func stored(_ id: UTF8Text, of project: Project) -> StoredTenant? {
        seen.withLock { $0[project.settings.id]?.rows[id] }
    }

    /// Takes what other processes changed.
    package func refresh(by rows: TenantRows) async throws(AccountError) {
        for project in projects.current.all where project.tenants?.template != nil { try await refresh(project, by: rows) }
    }

    /// These projects with the tenants that calls have made, for a start or a reload.
    package func complete(_ projects: [Project], by rows: TenantRows) async throws(AccountError) -> [Project] {
        var complete: [Project] = []
        for project in projects {
            guard let tenants = project.tenants, tenants.template != nil else {
                complete.append(project)
                continue
            }
            let now = rows.clock.now()
            let stored = try await rows.changed(since: nil, of: project.settings.id)
            let returned = stored.filter { $0.isDeleted && tenants.tenant(UTF8Text($0.id)) != nil }.map(\.id)
            if !returned.isEmpty { try await rows.forget(returned, of: project.settings.id) }
            let live = stored.filter { !$0.isDeleted }
            seen.withLock {
                $0[project.settings.id] = Seen(
                    until: now, rows: Dictionary(live.map { (UTF8Text($0.id), $0) }, uniquingKeysWith: { first, _ in first }))
            }
            let made = live.filter { tenants.tenant(UTF8Text($0.id)) == nil }.compactMap { tenant($0, of: project) }
            complete.append(project.having(Tenants(tenants.all + made, template: tenants.template)))
        }
        return complete
    }

    /// Takes again what changed while `complete` was under way; call it when its projects are in use.
    package func catchUp() {
        for project in projects.current.all where project.tenants?.template != nil {
            let rows = seen.withLock { seen -> [StoredTenant] in
                guard let state = seen[project.settings.id] else { return [] }
                return state.rows.values.filter { $0.changedAt > state.until - Self.overlap }
            }
            put(rows, in: project)
        }
    }

    /// Takes rows that this process has just written or read.
    package func take(_ rows: [StoredTenant], of project: Project) {
        let project = current(project)
        let new = seen.withLock { seen -> [StoredTenant] in
            var state = seen[project.settings.id] ?? Seen(until: Instant(seconds: 0))
            // Rows of one tenant may arrive in another order than they were written in.
            let new = rows.filter { row in state.rows[UTF8Text(row.id)].map { $0.changedAt < row.changedAt } ?? true }
            for row in new { state.rows[UTF8Text(row.id)] = row }
            seen[project.settings.id] = state
            return new
        }
        put(new, in: project)
    }

    private func put(_ rows: [StoredTenant], in project: Project) {
        // A file wins over a row.
        let own = rows.filter { project.tenants?.tenant(UTF8Text($0.id))?.fileName == nil }
        guard !own.isEmpty else { return }
        projects.change(
            project.settings.id, tenants: own.filter { !$0.isDeleted }.compactMap { tenant($0, of: project) },
            without: Set(own.filter(\.isDeleted).map(\.id)))
    }

    /// The same for one project.
    package func refresh(_ project: Project, by rows: TenantRows) async throws(AccountError) {
        let id = project.settings.id
        let now = rows.clock.now()
        let since = seen.withLock { $0[id]?.until }
        take(try await rows.changed(since: since.map { $0 - Self.overlap }, of: id), of: project)
        seen.withLock { $0[id, default: Seen(until: now)].until = now }
    }

    private func tenant(_ row: StoredTenant, of project: Project) -> Project? {
        guard let record = TenantRecord(row.settings), let tenant = project.tenant(row.id, record) else {
            log.error(
                "a tenant cannot be read: a newer version wrote it",
                metadata: ["project": "\(project.settings.id)", "tenant": "\(row.id)"])
            return nil
        }
        return tenant
    }

    /// The project as it is now; a request may have an earlier state.
    private func current(_ project: Project) -> Project { projects.current.project(id: project.settings.id) ?? project }
}
