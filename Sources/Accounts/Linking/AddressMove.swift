import Postgres
import ProjectSettings
import Runtime

/// The owner of an address proves it, and the account that has it is one to which the app's back end signs a person in by custom tokens.
///
/// Whom that account belongs to is the back end's word, and no proof of an address changes it: if the owner of the address got the account,
/// the next custom token would open it for the other person. So the address moves to a new account of its owner. The former account loses
/// the address with what needs it, and keeps its id, its identities and its sessions.
extension Account {
    /// Whether the owner of the address, who proves it only now by a mail, gets another account than this one.
    var isHeldByBackEnd: Bool { customAuth && !emailProven }

    /// Takes the address from this account. The statement that stores the new account comes behind these, in the same transaction.
    ///
    /// - Parameters:
    ///   - owner: the new account.
    ///   - act: on this account, with the rule.
    ///   - proof: uses up the code or the digits in a mail by which the owner has proven the address.
    func yieldAddress(to owner: Account, _ act: AuditedAct, spending proof: SQL? = nil, in project: ProjectSettings) -> [SQL] {
        var changed = self
        changed.loseEmail()
        return [removeAddress(in: project)] + (proof.map { [$0] } ?? []) + [
            deleteCodes(.ofItsAddress, in: project)
        ] + act.records(of: [AccountEvent(.addressMoved, successor: owner.id)] + events(to: changed), in: project)
    }

    /// Compares no more than it must, so that the account's holder cannot hold the move up with changes of the name.
    private func removeAddress(in project: ProjectSettings) -> SQL {
        .required(
            """
            UPDATE accounts SET email = NULL, email_verified = false, email_proven = false, password_hash = NULL,
                password_updated_at = NULL, email_link_sign_in = false
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(sessionsStand)
                AND email = \(email) AND email_proven = \(emailProven) AND custom_auth RETURNING account_id
            """)
    }
}
