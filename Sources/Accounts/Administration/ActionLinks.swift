import Postgres
import ProjectSettings
import Runtime

/// A link that an administrator made, to send to the person in another way.
package struct ActionLink: Sendable {
    package let code: String
    package let link: String
}

/// Links as those in mails, for administrators. Unlike people, they learn which addresses have accounts.
extension ActionCodeMails {
    /// Makes a link that does what the mail of this kind does, and mails nothing. In development it is listed among the mails.
    ///
    /// Throws `noSuchEmail` (a new password), `accountNotFound` (an address to prove or to leave), `accountDisabled`, `adminOnly` (a
    /// sign-in that would need a new account where apps may not make any), `emailTaken` (the new address).
    /// - Parameters:
    ///   - email: the account's address, or the one to sign in with.
    ///   - newEmail: where the account goes (`verifyAndChangeEmail`).
    package func makeLink(
        _ kind: OutgoingMail.Kind, for email: String, newEmail: String? = nil, _ options: MailOptions, by administrator: Administrator
    ) async throws(AccountError) -> ActionLink {
        let project = administrator.project
        return try await retryingConflicts { () async throws(AccountError) in
            let (codeMail, account) = try await codeMail(kind, for: email, newEmail: newEmail, in: project)
            guard let made = makeCode(for: codeMail, options, in: project) else { throw .invalidActionCode }
            let act = act(on: account, email, at: made.code.created, made.code.kind, by: administrator)
            let listed = outbox?.enqueueForRecent(
                OutgoingMail(codeMail, link: made.link, at: made.code.created, options), until: made.code.expires, for: made.hash,
                in: project)
            let statements = [made.insertion, act.record(AccountEvent(.linkMade), in: project)] + [listed].compactMap(\.self)
            _ = try await storage.write(all: statements, by: administrator, waitingFor: account?.id)
            return ActionLink(code: made.text, link: made.link)
        }
    }

    /// Mails the link in place of the person, who does not ask for it. Throws `tooManyAttempts` for the mailbox, then as `makeLink` does.
    package func sendLink(
        _ kind: OutgoingMail.Kind, for email: String, newEmail: String? = nil, _ options: MailOptions, by administrator: Administrator
    ) async throws(AccountError) {
        let project = administrator.project
        // A leaked key must not be able to flood the mailbox of a stranger.
        try await limits.charge(Attempt(kind.limit, from: administrator.client, mailbox: newEmail ?? email, in: project))
        try await retryingConflicts { () async throws(AccountError) in
            let (codeMail, account) = try await codeMail(kind, for: email, newEmail: newEmail, in: project)
            let mail = statements(for: codeMail, options, in: project)
            let act = act(on: account, email, at: clock.now(), kind.code, by: administrator)
            let record = act.record(AccountEvent(.linkMailed), in: project)
            _ = try await storage.write(all: mail + [record], by: administrator, waitingFor: account?.id)
            wakeWorker(for: mail, in: project)
        }
    }

    /// - Parameter email: named by its hash where no account has it.
    private func act(
        on account: Account?, _ email: String, at now: Instant, _ code: ActionCode.Kind?, by administrator: Administrator
    ) -> AuditedAct {
        let hash = account == nil ? addressHashes.hash(of: email, in: administrator.project.storageID) : nil
        return administrator.act(on: account?.id, emailHash: hash, at: now, code: code)
    }

    private func codeMail(
        _ kind: OutgoingMail.Kind, for email: String, newEmail: String?, in project: ProjectSettings
    ) async throws(AccountError) -> (CodeMail, Account?) {
        let account = try await directory.account(email: email, in: project)
        guard account?.disabled != true else { throw .accountDisabled }
        if kind == .signIn {
            guard account != nil || project.signIn.signUp else { throw .adminOnly }
            return (CodeMail(kind, to: email, email: email), account)
        }
        guard let account else { throw kind == .resetPassword ? .noSuchEmail : .accountNotFound }
        if let newEmail {
            guard try await directory.isFree(newEmail, in: project) else { throw .emailTaken }
        }
        return (CodeMail(kind, to: newEmail ?? email, account: account, email: email, newEmail: newEmail), account)
    }
}

extension OutgoingMail.Kind {
    /// The action whose limit a mail of this kind counts against.
    fileprivate var limit: LimitedAction {
        switch self {
        case .resetPassword: .sendPasswordReset
        case .signIn: .sendSignInLink
        default: .sendVerification
        }
    }
}
