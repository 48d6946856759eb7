import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// Mails codes to people who have lost their password, or who want to sign in by mail, to prove an address or to change it.
///
/// Where addresses are protected from enumeration, a request does the same work, takes the same locks and gets the same answer whether or
/// not an account has the address (SEC-15). A mail that must not go out is stored as a decoy, and so is its code.
package struct ActionCodeMails: Sendable {
    let storage: Storage
    let clock: Clock
    let publicURL: String
    /// `nil` where no way of mail is configured: then no mail is sent.
    let outbox: Outbox?
    let directory: AccountDirectory
    let idTokens: IDTokens
    let addressHashes: AddressHashes
    let limits: RateLimits

    /// Mails a code that sets a new password to `email`, if an account has this address.
    ///
    /// Throws `noSuchEmail` and `accountDisabled` only where addresses are not protected.
    package func sendPasswordReset(
        to email: String, _ options: MailOptions, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let attempt = Attempt(.sendPasswordReset, from: client, email: email, in: project)
        let account = try await directory.account(email: email, charging: attempt, in: project)
        if !project.emailEnumerationProtection {
            guard let account else { throw .noSuchEmail }
            guard !account.disabled else { throw .accountDisabled }
        }
        let reached = account.flatMap { $0.disabled ? nil : $0 }
        var mail = CodeMail(.resetPassword, to: email, account: reached, email: email, isDecoy: reached == nil)
        mail.hooked = HookedMail(.passwordReset, to: email, in: project, from: client)
        try await send(mail, options, in: project)
    }

    /// Mails a code that signs in as `email`, and creates an account when no account has the address.
    ///
    /// Throws `accountDisabled` only where addresses are not protected.
    package func sendSignInLink(
        to email: String, _ options: MailOptions, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let attempt = Attempt(.sendSignInLink, from: client, email: email, in: project)
        let account = try await directory.account(email: email, charging: attempt, in: project)
        if let account, account.disabled, !project.emailEnumerationProtection { throw .accountDisabled }
        // A code that could not sign in is not mailed: where apps may not make accounts, the mailbox may be a stranger's.
        let isDecoy = account.map(\.disabled) ?? !project.signIn.signUp
        var mail = CodeMail(.signIn, to: email, email: email, isDecoy: isDecoy)
        mail.hooked = HookedMail(.signIn, to: email, in: project, from: client)
        try await send(mail, options, in: project)
    }

    /// Mails the caller a code that proves their account's address.
    ///
    /// Throws what `IDTokens.account` throws, then `addressNeeded` for an account without an address.
    /// - Returns: the address.
    package func sendVerification(
        forIDToken idToken: String, _ options: MailOptions, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> String {
        let (account, token) = try await idTokens.account(of: idToken, charging: (.sendVerification, client), in: project)
        guard let email = account.email else { throw .addressNeeded }
        try await charge(mailTo: email, in: project, from: client)
        try await send(CodeMail(.verifyEmail, to: email, account: account, email: email), by: token, options, in: project)
        return email
    }

    /// Mails a code to `newEmail` that moves the caller's account there.
    ///
    /// Throws what `IDTokens.account` throws, then `signInTooOld`, and `emailTaken` only where addresses are not protected.
    /// - Returns: the account's present address.
    package func sendEmailChange(
        forIDToken idToken: String, to newEmail: String, _ options: MailOptions, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> String? {
        let (account, token) = try await idTokens.account(of: idToken, charging: (.sendVerification, client), in: project)
        try await charge(mailTo: newEmail, in: project, from: client)
        try idTokens.requireFresh(token, of: account, in: project)
        let free = try await directory.isFree(newEmail, in: project)
        guard free || project.emailEnumerationProtection else { throw .emailTaken }
        try await send(
            CodeMail(.verifyAndChangeEmail, to: newEmail, account: account, email: account.email, newEmail: newEmail, isDecoy: !free),
            by: token, options, in: project)
        return account.email
    }

    /// Charges the mailbox of a mail that an account asks for: many accounts together must not be able to flood another person's.
    private func charge(mailTo mailbox: String, in project: ProjectSettings, from client: Session.ClientInfo) async throws(AccountError) {
        try await limits.charge(Attempt(.sendVerification, from: client, mailbox: mailbox, in: project))
    }

    /// - Parameter token: the ID token of the caller who asks. Its session must live when the code is stored.
    private func send(
        _ codeMail: CodeMail, by token: IDToken? = nil, _ options: MailOptions, in project: ProjectSettings
    ) async throws(AccountError) {
        let mail = statements(for: codeMail, options, in: project)
        // Named by the address, which the caller has said: nothing may depend on whether an account has it (SEC-15).
        _ = try await storage.write(all: mail + (token?.holdSession(in: project) ?? []), waitingFor: codeMail.recipient)
        wakeWorker(for: mail, in: project)
    }

    /// Wakes the mail worker of this process if `mails`, the statements that store mails, are any. Call it after the commit; without it the
    /// mails leave some seconds later.
    func wakeWorker(for mails: [SQL], in project: ProjectSettings) {
        if !mails.isEmpty { outbox?.wakeWorker(in: project) }
    }

    /// Stores the code and its mail; call `wakeWorker` after the commit. No statements where no mail is sent.
    func statements(for codeMail: CodeMail, _ options: MailOptions, in project: ProjectSettings) -> [SQL] {
        guard let outbox else { return [] }
        guard let made = makeCode(for: codeMail, options, in: project) else {
            let now = clock.now()
            let mail = OutgoingMail(codeMail, link: "", at: now, options)
            return [outbox.enqueue(mail, until: now + Self.noticeLifetime, for: Random.bytes(16), in: project)]
        }
        let mail = OutgoingMail(codeMail, link: made.link, at: made.code.created, options)
        return [
            made.insertion,
            codeMail.isDecoy
                ? outbox.enqueueDecoy(of: mail, until: made.code.expires, for: made.hash, in: project)
                : outbox.enqueue(mail, until: made.code.expires, for: made.hash, in: project),
        ]
    }

    /// How long a notice without a code may wait for the mail server.
    private static let noticeLifetime: Duration = .seconds(86400)

    /// Makes the code of a mail; it works once `insertion` is committed. `nil` for a mail without one.
    func makeCode(for codeMail: CodeMail, _ options: MailOptions, in project: ProjectSettings) -> MadeCode? {
        guard let kind = codeMail.kind.code else { return nil }
        let (text, hash) = ActionCode.secret()
        let now = clock.now()
        let account = codeMail.account
        let holder: ActionCode.Holder =
            if let account { .account(account) } else { codeMail.kind == .signIn ? .address : .standIn }
        let code = ActionCode(
            kind: kind, accountID: account?.id, email: codeMail.email, newEmail: codeMail.newEmail,
            emailProven: codeMail.emailProven ?? account?.emailProven ?? false, created: now, expires: now + kind.lifetime,
            factorID: codeMail.event?.factorID)
        return MadeCode(
            code: code, text: text, hash: hash, link: link(kind, code: text, options, in: project),
            insertion: code.insert(hash: hash, for: holder, in: project))
    }
}

/// A new code, with its secret.
struct MadeCode {
    let code: ActionCode
    let text: String
    let hash: [UInt8]
    let link: String
    /// The statement that stores it.
    let insertion: SQL
}

extension OutgoingMail {
    /// - Parameter link: that of its code; empty for a mail without one.
    init(_ mail: CodeMail, link: String, at time: Instant, _ options: MailOptions) {
        let reportsTime = mail.event.map { $0.isOfSignInMethod || $0.isOfSecondFactors } ?? false
        self.init(
            mail.kind, to: mail.recipient, language: options.language, link: link, newEmail: mail.newEmail,
            displayName: mail.displayName, providerID: mail.event?.providerID, happenedAt: reportsTime ? time.seconds : nil)
        hooked = mail.hooked
    }
}

/// A mail with a code, before the code is made.
struct CodeMail {
    let kind: OutgoingMail.Kind
    let recipient: String
    /// The account as it is after the transaction's earlier statements; `nil` for a code that belongs to its address alone, and for the
    /// decoy of a code that would belong to an account.
    let account: Account?
    let email: String?
    let newEmail: String?
    /// Whether the address was proven before the transaction, when the transaction changes that.
    let emailProven: Bool?
    /// The event that the mail reports; `nil` for a mail that a person asked for.
    let event: AccountEvent?
    let isDecoy: Bool
    /// The question for the project's hook before it leaves; `nil` where it is not asked.
    var hooked: HookedMail?

    init(
        _ kind: OutgoingMail.Kind, to recipient: String, account: Account? = nil, email: String?, newEmail: String? = nil,
        emailProven: Bool? = nil, event: AccountEvent? = nil, isDecoy: Bool = false
    ) {
        self.kind = kind
        self.recipient = recipient
        self.account = account
        self.email = email
        self.newEmail = newEmail
        self.emailProven = emailProven
        self.event = event
        self.isDecoy = isDecoy
    }

    /// The name to greet by. Only for a mailbox that is known to be the person's own: an account for a stranger's address may have an
    /// advertisement as its name.
    var displayName: String? {
        guard let account, emailProven ?? account.emailProven, recipient == email else { return nil }
        return account.displayName
    }
}
