import Postgres
import ProjectSettings
import Runtime

/// Records second factors that were wrong, and warns the owner by mail: the person who shows them has passed the first step.
struct SecondFactorWarnings: Sendable {
    let storage: Storage
    let clock: Clock
    let notices: OwnerNotices

    /// The owner is warned, once within `period`, after this many wrong second factors.
    private static let number = 5
    private static let period: Duration = .seconds(86400)

    func note(
        refusalOf account: Account, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let now = clock.now()
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let results = try await storage.write(all: [
            act.record(AccountEvent(.secondFactorRefused), in: project),
            """
            SELECT count(*) FILTER (WHERE action = \(AuditEvent.Action.secondFactorRefused.rawValue)),
                count(*) FILTER (WHERE action = \(AuditEvent.Action.secondFactorWarningMailed.rawValue))
            FROM audit_events WHERE project_id = \(project: project) AND account_id = \(account.id) AND occurred_at > \(now - Self.period)
            """,
        ])
        guard var row = results.last?.first?.reader() else { return }
        let (refused, warned): (Int, Int) = try reading { (try row.next(), try row.next()) }
        guard refused >= Self.number, warned == 0 else { return }
        let warning = AccountEvent(.secondFactorWarningMailed)
        let mails = notices.statements(for: [warning], from: account, to: account, language: language, in: project)
        guard !mails.isEmpty else { return }
        _ = try await storage.write(all: mails + [act.record(warning, in: project)], waitingFor: account.id)
        notices.mails.wakeWorker(for: mails, in: project)
    }
}
