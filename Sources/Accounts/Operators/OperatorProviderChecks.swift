import Postgres
package import ProjectSettings
import Runtime

/// Limits and records the checks of providers that operators start at the console.
package struct OperatorProviderChecks: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits

    /// Counts a check that is about to start. Throws `quotaExceeded`.
    package func charge(by act: OperatorAct, in project: ProjectSettings) async throws(AccountError) {
        try await limits.charge(Attempt(.checkProvider, from: act.client, in: project))
    }

    /// Records a check and its result. Where this throws, the operator must not see the result.
    ///
    /// - Parameter faults: how many were found.
    package func record(
        _ providerID: String, faults: Int, by act: OperatorAct, in project: ProjectSettings
    ) async throws(AccountError) {
        let facts: SQL = "'outcome', \(faults == 0 ? "sound" : "faulty"), 'faults', \(faults)"
        let values = act.audited(at: clock.now()).values(
            .providerChecked, providerID: "\(providerID)", facts: facts, in: project.storageID)
        _ = try await storage.write("INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values)")
    }
}
