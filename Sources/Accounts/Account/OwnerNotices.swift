import Postgres

/// The mails that tell an owner what was changed of their account.
struct OwnerNotices: Sendable {
    let mails: ActionCodeMails
    let limits: RateLimits

    /// One letter for each change of the ways to sign in, to the address that was proven before. Each bears a link that takes the account
    /// back. For the transaction that makes the change, behind the statement that changes the account; ring the outbox after the commit.
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
            let posting = Posting(
                change.kind, to: address, account: changed, email: address, newEmail: changed.email, emailProven: true,
                providerID: change.providerID)
            return mails.statements(for: posting, LetterWish(language: language), in: project)
        }
    }

    /// Charges the mailbox that these mails go to, where there are any: a session cannot be used to flood it by linking and unlinking in turns.
    /// The change itself is refused, for one that is not told must not happen.
    ///
    /// Only for changes by an ID token: how often mails and providers themselves prove a person is limited elsewhere, and a thief who used
    /// the limit up must not keep the owner from a new password. Nor from unlinking what the thief linked: removals are not charged, for
    /// there cannot be more of them than of additions. Throws `tooManyAttempts`.
    func charge(
        for changes: [SignInMethodChange], to account: Account, in project: ProjectSettings, from origin: Session.Origin
    ) async throws(AccountError) {
        let isCharged = changes.contains { $0.kind != .signInMethodRemoved }
        guard mails.outbox != nil, isCharged, let address = account.noticeAddress else { return }
        try await limits.charge(Attempt(.changeSignInMethods, from: origin.address, mailbox: address, in: project))
    }

    /// What goes with every change of an address, removal too: pending codes end, and the former address is told, with a way back.
    func endOfAddress(from account: Account, to changed: Account, language: String, in project: ProjectSettings) -> [SQL] {
        let end = account.deleteCodes(.allButRecovery, in: project)
        guard let former = account.email, former != changed.email else { return [end] }
        let notice = Posting(
            .recoverEmail, to: former, account: changed, email: former, newEmail: changed.email, emailProven: account.emailProven)
        return [end] + mails.statements(for: notice, LetterWish(language: language), in: project)
    }
}
