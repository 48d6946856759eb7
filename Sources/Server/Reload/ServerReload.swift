import Accounts
import Config
import Logging
import Projects

/// The result of a reload.
enum ReloadOutcome: Sendable {
    /// All files are in use.
    case taken
    /// The others are in use. The text says which files are not, and why.
    case takenInPart(String)
    /// The former configuration stays in use. The text says why.
    case refused(String)
}

extension Server {
    /// Reads the project files again, and logs how that went.
    package func reload() async { _ = await reloadTelling() }

    /// The same for a caller who is told. One reload runs after another. Requests that have begun keep the configuration they began with.
    func reloadTelling() async -> ReloadOutcome {
        let reload = Task { [former = reloading] in
            _ = await former?.value
            return await readAnew()
        }
        reloading = reload
        return await reload.value
    }

    private func readAnew() async -> ReloadOutcome {
        reportReload()
        let outcome: ReloadOutcome
        do { outcome = try await takeFiles() } catch {
            guard !isStopping else {
                log.info("a reload was given up, since the server stops")
                return .refused("the server stops")
            }
            outcome = .refused((error as? Configuration.Faulty)?.report ?? StartFailure.text(error))
        }
        switch outcome {
        case .taken: log.info("reloaded", metadata: ["projects": "\(process.projects.current.all.count)"])
        case .takenInPart(let reason): log.error("reloaded in part", metadata: ["reason": "\(reason)"])
        case .refused(let reason): log.error("not reloaded, the former configuration stays", metadata: ["reason": "\(reason)"])
        }
        record.note(outcome)
        reportEnd(of: outcome)
        return outcome
    }

    private func takeFiles() async throws -> ReloadOutcome {
        let reading = try ConfigurationReading(from: path, environment: environment, reusing: process.tenantCache)
        let all = Faults([reading.faults] + reading.files.map(\.allFaults))
        guard reading.faults.isEmpty else { throw Configuration.Faulty(all) }
        guard reading.server.fingerprint == process.settings.fingerprint else {
            return .refused("gatehouse.yaml or one of its secrets changed, which needs a restart")
        }
        // Files of tenants that have not changed gave the very same tenant.
        let known = Set(process.projects.current.realms.map(ObjectIdentifier.init))
        let new = reading.files.filter(\.isSound).flatMap { [$0.project] + $0.tenants.all.filter(\.isSound).map(\.tenant) }
            .filter { !known.contains(ObjectIdentifier($0)) }
        let unpinned = try await providerIssuers.unpinned(PinnedIssuers.configured(by: new))
        let conflicts = try await Dictionary(
            unpinned.conflicts.map { ($0.projectID, PinnedIssuers.sentence($0)) }
                + orphaning(new).map { ($0.projectID, FrozenSites.sentence($0)) },
            uniquingKeysWith: { "\($0)\n\($1)" })
        guard let next = ReloadedProjects(reading, conflicts: conflicts, keeping: process.projects.current.all) else {
            guard all.isEmpty else { throw Configuration.Faulty(all) }
            return .refused(conflicts.values.sorted().joined(separator: "\n"))
        }
        try await providerIssuers.pin(unpinned, except: Set(conflicts.keys))
        try await takeTenants(of: next.projects)
        try await remember(process.projects.current.realms)
        process.projectMetrics.begin()
        return next.refusals.isEmpty ? .taken : .takenInPart(next.refusals.joined(separator: "\n"))
    }
}
