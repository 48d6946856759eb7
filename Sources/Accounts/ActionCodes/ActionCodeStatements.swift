import Postgres
import Runtime

/// The statements by which codes come and go.
extension ActionCode {
    /// Stores the code for as long as its account is as it was read: who changes an account deletes its codes afterwards, and a code
    /// must not slip in between.
    ///
    /// - Parameter account: `nil` for a code that stands for its address alone, and for one that nobody is sent.
    func insert(hash: [UInt8], for account: Account?, in project: ProjectSettings) -> SQL {
        .required(
            """
            INSERT INTO action_codes (project_id, code_hash, kind, account_id, email, new_email, email_proven, created_at, expires_at)
            SELECT \(project.id), \(hash), \(kind.rawValue), \(accountID), \(email), \(newEmail), \(emailProven), \(created), \(expires)
            WHERE \(account == nil) OR EXISTS (
                SELECT FROM accounts WHERE project_id = \(project.id) AND account_id = \(account?.id) AND NOT disabled
                    AND valid_since = \(account?.validSince)
                    AND sessions_ended_at IS NOT DISTINCT FROM \(account?.sessionsEndedAt) FOR SHARE)
            RETURNING code_hash
            """)
    }
}

extension Account {
    /// Which codes of an account end.
    enum CodeFate {
        /// All: the account goes, or its address turned out to be somebody else's than its maker's.
        case all
        /// All but the ways back to earlier addresses, which whoever changes an account must not be able to close.
        case allButRecovery
        /// The others of one kind.
        case only(ActionCode.Kind)
        /// What was asked for since: an earlier address takes precedence over later ones.
        case since(Instant)
    }

    /// Ends codes of the account, those that sign in to its address among them. Comes behind the statement that changes the account.
    func deleteCodes(_ fate: CodeFate, in project: ProjectSettings) -> SQL {
        let condition: SQL =
            switch fate {
            case .all: ""
            case .allButRecovery: " AND kind <> 'recoverEmail'"
            case .only(let kind): " AND kind = \(kind.rawValue)"
            case .since(let moment): " AND (kind <> 'recoverEmail' OR created_at >= \(moment))"
            }
        return """
            DELETE FROM action_codes
            WHERE project_id = \(project.id) AND (account_id = \(id) OR account_id IS NULL AND email = \(email))\(condition)
            """
    }
}
