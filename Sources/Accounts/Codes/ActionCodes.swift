import Postgres
package import ProjectSettings
import Runtime

/// Looks at the codes of mails, and uses them up: what a use does is in `EmailActions.swift`, `PasswordReset.swift` and
/// `EmailLinkSignIns.swift`.
package struct ActionCodes: Sendable {
    let storage: Storage
    let clock: Clock
    let directory: AccountDirectory
    let passwords: Passwords
    let mails: ActionCodeMails
    let notices: OwnerNotices
    let limits: RateLimits
    let secrets: FactorSecrets

    /// Tells what a code would do, and does not use it up (SEC-17). A wrong code counts against its client.
    ///
    /// Throws `invalidActionCode` for a code that never existed, was used or is of another kind, `expiredActionCode` for a day after it
    /// expired; `accountDisabled` then for a link that signs in to a disabled account.
    /// - Parameter kind: `nil` for any.
    package func inspect(
        _ code: String, as kind: ActionCode.Kind? = nil, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> ActionCode {
        try await counting(in: project, from: client) { () async throws(AccountError) in
            try await pending(code, as: kind, in: project).code
        }
    }

    /// Runs `work`, which tries a code that a client has sent; see `RateLimits.counting`.
    func counting<Result>(
        in project: ProjectSettings, from client: Session.ClientInfo, _ work: () async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        try await limits.counting(Attempt(.actionCode, from: client, in: project), work)
    }

    /// Reads a code that can be used, with its account, or with the account that has its address now.
    func pending(
        _ text: String, as kind: ActionCode.Kind? = nil, in project: ProjectSettings
    ) async throws(AccountError) -> PendingCode {
        guard let hash = ActionCode.hash(text) else { throw .invalidActionCode }
        let rows = try await storage.read(
            """
            SELECT \(ActionCode.columns), \(Account.columns(in: project)) FROM action_codes c
            LEFT JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = coalesce(
                c.account_id, (SELECT account_id FROM accounts WHERE project_id = \(project: project) AND email = c.email))
            WHERE c.project_id = \(project: project) AND c.code_hash = \(hash)
            """)
        guard var row = rows.first?.reader() else { throw .invalidActionCode }
        let (code, account) = try reading { (try ActionCode(&row), try Account(&row)) }
        guard var code else { throw .invalidActionCode }
        guard code.expires > clock.now() else {
            throw code.kind == .signIn && account?.disabled == true ? .accountDisabled : .expiredActionCode
        }
        guard kind == nil || code.kind == kind else { throw .invalidActionCode }
        code.factor = code.factorID.flatMap { account?.factors.factor($0) }
        return PendingCode(code: code, hash: hash, account: account, projectID: project.storageID)
    }
}
