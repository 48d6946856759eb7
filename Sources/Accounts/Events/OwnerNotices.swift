import Postgres
import ProjectSettings

/// The mails that tell the owner of an account what happened to it (SEC-73).
struct OwnerNotices: Sendable {
    let mails: ActionCodeMails

    /// Writes one mail for each event that its owner must learn of, to the address that the account had before. A mail about a change
    /// that can be undone has a link for that. The statements stand in the transaction that makes the change, behind the one that changes the account; call
    /// `ActionCodeMails.wakeWorker` with them after the commit.
    ///
    /// - Parameters:
    ///   - events: those by which `account` becomes `changed`.
    ///   - account: as it was before.
    ///   - changed: as it is once the transaction's earlier statements have run.
    func statements(
        for events: [AccountEvent], from account: Account, to changed: Account, language: String, in project: ProjectSettings
    ) -> [SQL] {
        guard let address = account.email else { return [] }
        return events.flatMap { event -> [SQL] in
            guard let kind = OutgoingMail.Kind(telling: event), account.addressMayLearn(of: event) else { return [] }
            let codeMail = CodeMail(
                kind, to: address, account: changed, email: address, newEmail: kind.code == .recoverEmail ? changed.email : nil,
                emailProven: account.emailProven, event: event)
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
        for events: [AccountEvent], to account: Account, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let isCharged = events.contains { event in
            switch event.action {
            case .providerLinked, .passwordAdded, .passwordChanged, .phoneNumberAdded, .phoneNumberChanged, .secondFactorAdded,
                .recoveryCodesMade, .passkeyAdded:
                true
            default: false
            }
        }
        guard mails.outbox != nil, isCharged, account.emailProven || account.emailVerified, let address = account.email else { return }
        try await mails.limits.charge(Attempt(.changeSignInMethods, from: client, mailbox: address, in: project))
    }
}

extension OutgoingMail.Kind {
    /// The mail that tells the owner of the event; `nil` where none does.
    init?(telling event: AccountEvent) {
        switch event.action {
        case .providerLinked, .passwordAdded, .phoneNumberAdded, .phoneNumberChanged: self = .signInMethodAdded
        case .providerUnlinked, .passwordRemoved, .phoneNumberRemoved: self = .signInMethodRemoved
        case .passwordChanged: self = .passwordChanged
        case .passkeyAdded: self = .passkeyAdded
        case .passkeyRemoved: self = .passkeyRemoved
        case .passkeySuspected: self = .passkeySuspected
        case .phoneNumberUsedAgain: self = .phoneSignIn
        case .emailChanged: self = .recoverEmail
        case .secondFactorAdded: self = .secondFactorAdded
        case .secondFactorRemoved: self = .secondFactorRemoved
        case .secondFactorWarningMailed: self = .secondFactorRefused
        case .recoveryCodesMade: self = .recoveryCodesMade
        case .recoveryCodeUsed: self = .recoveryCodeUsed
        default: return nil
        }
    }
}

extension Account {
    /// Whether the mailbox of the account's address may learn of the event. An address that is not proven may belong to a stranger, who learns
    /// only that the account has left it, and not even that where the way back would lead nowhere (`isHeldByBackEnd`).
    fileprivate func addressMayLearn(of event: AccountEvent) -> Bool {
        emailProven || event.action == .emailChanged && !isHeldByBackEnd || event.isOfSecondFactors && emailVerified
    }
}
