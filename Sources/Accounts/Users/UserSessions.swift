import Postgres
import ProjectSettings
import Runtime

/// Ends single sessions of accounts for operators. All sessions of an account end by `AccountAdministration.revokeSessions`.
package struct UserSessions: Sendable {
    private static let reason = "ended by an operator"

    let storage: Storage
    let clock: Clock
    let browserSessions: BrowserSessions

    /// Ends a session of the account, and records it. The relying parties of a browser's session are told, and what they were granted in it ends. The
    /// ID tokens of the session end with it where they are asked about; back ends that do not ask take them for up to an hour.
    ///
    /// Throws `accountNotFound`, and `sessionEnded` for a session that has ended already, or is another account's.
    package func end(_ id: [UInt8], of accountID: String, by administrator: Administrator) async throws(AccountError) {
        let (project, now) = (administrator.project, clock.now())
        let results = try await storage.look(all: [
            Account.select("a.account_id = \(accountID)", in: project),
            """
            SELECT \(UserSession.columns) FROM sessions
            WHERE project_id = \(project: project) AND session_id = \(id) AND account_id = \(accountID) AND ended_at IS NULL
            """,
        ])
        guard let account = try Account.one(of: results[0]) else { throw .accountNotFound }
        guard let session = try reading({ try results[1].first.flatMap(UserSession.init) }) else { throw .sessionEnded }
        let ending: SQL = """
            UPDATE sessions SET ended_at = \(now), end_reason = \(Self.reason)
            WHERE project_id = \(project: project) AND session_id = \(id) AND account_id = \(accountID) AND ended_at IS NULL
            """
        let recorded = administrator.act(on: accountID, at: now).end(ending, because: Self.reason, in: project)
        guard session.kind == .browser else {
            _ = try await storage.write(all: [recorded], by: administrator, waitingFor: accountID)
            return
        }
        let ended = Session(
            projectID: project.storageID, id: id, accountID: accountID, signInProvider: session.signInProvider,
            authTime: session.authenticated, developerClaims: nil, generation: 0)
        try await browserSessions.end(
            BrowserSession(session: ended, account: account), by: "\(recorded) RETURNING 1::bigint", in: project, at: now)
    }
}
