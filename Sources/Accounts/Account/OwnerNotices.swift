import Postgres
import ProjectSettings

/// The mails that tell the owner of an account that it was changed.
struct OwnerNotices: Sendable {
    let mails: ActionCodeMails
    let limits: RateLimits

    /// Writes one mail for each change of the ways to sign in, to the address that was proven before the change. Each has a link that
    /// gives the account back. The statements stand in the transaction that makes the change, behind the one that changes the account; call
    /// `ActionCodeMails.wakeMailWorker` with them after the commit.
    ///
    /// - Parameters:
    ///   - changes: `methodChanges` of the two accounts.
    ///   - account: as it was before.
    ///   - changed: as it is once the transaction's earlier statements have run.
    func statements(
        for changes: [SignInMethodChange], from account: Account, to changed: Account, language: String, in project: ProjectSettings
    ) -> [SQL] {
        guard let address = account.noticeAddress else { return [] }
        return changes.flatMap { change in
            let codeMail = CodeMail(
                change.kind, to: address, account: changed, email: address, newEmail: changed.email, emailProven: true,
                providerID: change.providerID)
            return mails.statements(for: codeMail, MailOptions(language: language), in: project)
        }
    }

    /// Charges the mailbox of these mails, so that a session cannot flood it by linking and unlinking in turns. When the limit is reached,
    /// the change itself is refused, since no change may happen without its mail. Throws `tooManyAttempts`.
    ///
    /// Only changes by an ID token are charged. Other limits bound how often mails and providers prove a person, and a thief who has used
    /// up this limit must not keep the owner from setting a new password, or from unlinking what the thief linked. So removals are not
    /// charged either; there cannot be more of them than of additions.
    func charge(
        for changes: [SignInMethodChange], to account: Account, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let isCharged = changes.contains { $0.kind != .signInMethodRemoved }
        guard mails.outbox != nil, isCharged, let address = account.noticeAddress else { return }
        try await limits.charge(Attempt(.changeSignInMethods, from: client.address, mailbox: address, in: project))
    }

    /// Tells the former address of the change, with a way back. Part of every change of an address, also of its removal, together with
    /// `deleteCodes(.allButRecovery)`. No statements where the address stays the same, and where the way back would lead nowhere.
    func emailChangeStatements(from account: Account, to changed: Account, language: String, in project: ProjectSettings) -> [SQL] {
        guard let former = account.email, former != changed.email, !account.isHeldByBackEnd else { return [] }
        let notice = CodeMail(
            .recoverEmail, to: former, account: changed, email: former, newEmail: changed.email, emailProven: account.emailProven)
        return mails.statements(for: notice, MailOptions(language: language), in: project)
    }
}
