import Postgres
import ProjectSettings
import Runtime

/// The statements that store and delete codes.
extension ActionCode {
    /// The owner of a code.
    enum Holder {
        /// The address that it is mailed to, without an account.
        case address
        /// An account, which must not have changed since it was read.
        case account(Account)
        /// Any account of the project: for a code that is not mailed and must take the same locks as one that is (SEC-15).
        case standIn
    }

    /// Stores the code. The row of its account is locked until the commit: a change of an account deletes the account's codes, and a code
    /// that is stored at the same time must not survive that.
    func insert(hash: [UInt8], for holder: Holder, in project: ProjectSettings) -> SQL {
        switch holder {
        case .address:
            .required(
                """
                INSERT INTO action_codes (project_id, code_hash, kind, email, new_email, email_proven, created_at, expires_at, enrollment_id)
                VALUES (\(project: project), \(hash), \(kind.rawValue), \(email), \(newEmail), \(emailProven), \(created), \(expires), NULL)
                RETURNING code_hash
                """)
        case .account(let account): insert(hash: hash, holding: account.id, as: account, in: project)
        case .standIn: insert(hash: hash, holding: AccountID.random(), as: nil, in: project)
        }
    }

    /// The same statement for accounts and their stand-ins, so that no query plan distinguishes them. It locks the first account from `id`
    /// on, or the first of all; when the account exists, this is the account itself.
    ///
    /// - Parameter account: as it was read; `nil` for a stand-in, which may be any account.
    private func insert(hash: [UInt8], holding id: String, as account: Account?, in project: ProjectSettings) -> SQL {
        .required(
            """
            WITH held AS MATERIALIZED (
                SELECT account_id, disabled, valid_since, sessions_ended_at FROM accounts
                WHERE project_id = \(project: project) AND account_id >= coalesce((
                    SELECT min(account_id) FROM accounts WHERE project_id = \(project: project) AND account_id >= \(id)), '')
                ORDER BY account_id LIMIT 1 FOR SHARE
            ), fit AS (
                SELECT count(*) AS number FROM held WHERE account_id = \(id) AND NOT disabled
                    AND valid_since = \(account?.validSince) AND sessions_ended_at IS NOT DISTINCT FROM \(account?.sessionsEndedAt)
            )
            INSERT INTO action_codes (project_id, code_hash, kind, account_id, email, new_email, email_proven, created_at, expires_at, enrollment_id)
            SELECT \(project: project), \(hash), \(kind.rawValue), (SELECT account_id FROM held), \(email), \(newEmail), \(emailProven),
                \(created), \(expires), \(factorID)
            FROM fit WHERE fit.number = CASE WHEN \(account == nil) THEN 0 ELSE 1 END
            RETURNING code_hash
            """)
    }
}

extension Account {
    /// The codes of an account that end.
    enum CodeFate {
        /// All codes: the account is deleted, or its address turned out to belong to another person than its maker.
        case all
        /// All except the ways back to earlier addresses and second factors, which a person who changes the account must not be able to remove.
        case allButRecovery
        /// The same, except the links that sign in, which `expireSignInLinks` ends.
        case allOfDisabled
        /// All codes that were mailed to its address or are about it. Ways back that were mailed to other addresses stay.
        case ofItsAddress
        /// The others of one kind.
        case only(ActionCode.Kind)
        /// All except the ways back that were mailed before then: an earlier address takes precedence over later ones.
        case since(Instant)
    }

    /// The kinds of codes that give an account back.
    private static let waysBack: SQL = "('recoverEmail', 'revertSecondFactorAddition')"

    /// Ends the links that sign in to the address of an account, and keeps them for as long as expired ones: the person who follows one
    /// learns that the account is disabled.
    func expireSignInLinks(in project: ProjectSettings, at now: Instant) -> SQL {
        """
        UPDATE action_codes SET expires_at = \(now)
        WHERE project_id = \(project: project) AND account_id IS NULL AND email = \(email) AND kind = 'signIn' AND expires_at > \(now)
        """
    }

    /// Ends codes of the account, also those that sign in to its address, and with them what digits prove at hosted pages (`EmailCodes`),
    /// unless only codes of one kind end. An ending of its sessions drops consents, too. Must come after the statement that changes the account.
    func deleteCodes(_ fate: CodeFate, in project: ProjectSettings) -> SQL {
        var condition: SQL = ""
        let proofs: SQL = "proofs AS (\(EmailCodes.voidProofs(of: "= \(email)", in: project)))"
        let consents: SQL = "agreed AS (DELETE FROM consents WHERE project_id = \(project: project) AND account_id = \(id))"
        var alsoEnded: SQL = "WITH \(proofs), \(consents) "
        switch fate {
        case .all: break
        case .allButRecovery: condition = " AND kind NOT IN \(Self.waysBack)"
        case .allOfDisabled: condition = " AND kind NOT IN \(Self.waysBack) AND kind <> 'signIn'"
        case .ofItsAddress:
            (condition, alsoEnded) = (
                " AND (kind NOT IN \(Self.waysBack) OR email = \(email))", "WITH \(proofs) "
            )
        case .only(let kind): (condition, alsoEnded) = (" AND kind = \(kind.rawValue)", "")
        case .since(let moment):
            condition = " AND (kind NOT IN \(Self.waysBack) OR created_at >= \(moment))"
        }
        return """
            \(alsoEnded)DELETE FROM action_codes
            WHERE project_id = \(project: project) AND (account_id = \(id) OR account_id IS NULL AND email = \(email))\(condition)
            """
    }
}
