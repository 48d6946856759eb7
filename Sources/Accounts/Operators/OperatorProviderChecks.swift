import Postgres
package import ProjectSettings
import Runtime

/// The questions of operators at the console to a provider of a project, whether sign-ins there can succeed: how many there may be, and their record.
package struct OperatorProviderChecks: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits

    /// Counts a question that an operator is about to have asked. Throws `tooManyAttempts`.
    package func charge(by act: OperatorAct, in project: ProjectSettings) async throws(AccountError) {
        try await limits.charge(Attempt(.checkProvider, from: act.client, in: project))
    }

    /// Records a question and its outcome. Without the record, the operator must not see the outcome.
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
