import Crypto
import Postgres
package import ProjectSettings
import Runtime

extension ActionCodes {
    /// Sets a new password by a code of kind `resetPassword`; see `PasswordReset` for what else changes. A wrong code counts against its
    /// client.
    ///
    /// Throws `invalidActionCode`, `expiredActionCode`, what the password policy throws, `accountNotFound`, `accountDisabled`, `adminOnly`
    /// (a new account). The code stays good after each of them.
    package func resetPassword(
        _ code: String, to password: String, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (ActionCode, Account) {
        try await counting(in: project, from: client) { () async throws(AccountError) in
            try await retryingConflicts(orRaces: PasswordReset.races) { () async throws(AccountError) in
                let pending = try await pending(code, as: .resetPassword, in: project)
                try project.passwordPolicy.check(password)
                let reset = try await reset(
                    try pending.holder(), to: password, spending: pending.spend, language: language, in: project, from: client)
                _ = try await storage.write(all: reset.statements, waitingFor: reset.account.id)
                mails.wakeWorker(for: reset.notices, in: project)
                return (pending.code, reset.account)
            }
        }
    }

    /// Forgives failures to sign in with the former password, too.
    ///
    /// - Parameters:
    ///   - spend: uses up the code or the digits by which the person proved the address, at the time of the change.
    ///   - signsIn: whether a session begins with the reset.
    fileprivate func reset(
        _ account: Account, to password: String, spending spend: (Instant) -> SQL, signsIn: Bool = false, language: String,
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> PasswordReset {
        // Before the hash, since the code stays good: who has it could ask for hashes without end.
        guard !account.isHeldByBackEnd || project.signIn.signUp else { throw .adminOnly }
        let hash = try await passwords.hash(password).text
        let now = clock.now()
        let forgiveness = limits.forgiveness(of: Attempt(.password, from: client, email: account.email, in: project))
        if account.isHeldByBackEnd {
            var reset = account.movingAddress(
                passwordHash: hash, spending: spend(now), lastLoginAt: signsIn ? now : nil, at: now, in: project, from: client)
            reset.statements += forgiveness
            return reset
        }
        var changed = account
        changed.passwordUpdatedAt = now
        // The account may have been made by a person who does not own the address: what that person put there goes.
        let isTakenOver = !account.emailProven && account.hasBeenUsed
        if isTakenOver { changed.clearProfile() }
        if account.phoneLinkedUnproven { changed.phoneNumber = nil }
        changed.proveEmail()
        changed.endTokens(at: now)
        if signsIn { changed.noteFirstProof(at: now) }
        let act = AuditedAct(
            by: .person, on: account.id, from: client, at: now, rule: isTakenOver ? .makerNeverProved : nil, code: .resetPassword)
        let statements =
            [
                changed.update(from: account, passwordHash: hash, in: project), spend(now),
            ] + act.unlinkAll(where: account.isUnproven, in: project) + [
                account.deleteCodes(account.emailProven ? .allButRecovery : .all, in: project),
                act.endSessions(of: account, because: "password reset", in: project),
            ]
        let events = account.events(to: changed) + account.phoneEvents(to: changed)
        let records = act.records(of: (isTakenOver ? [AccountEvent(.accountTakenOver)] : []) + events, in: project)
        let notices = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        return PasswordReset(account: changed, statements: statements + records + notices + forgiveness, notices: notices)
    }
}

extension AuthorizationRequests {
    /// Sets the new password of the account whose address the digits of a mail have proven (`proveEmail`), and signs in: one hash and one
    /// transaction. The proof is used up, and counts for nothing once sessions were ended after the mail. A try without a proof counts against
    /// its client, as a wrong code does.
    ///
    /// Throws `invalidActionCode`, what the password policy throws, `accountNotFound`, `accountDisabled`, `adminOnly` (a new account).
    package func resetPassword(
        for authorization: PendingAuthorization, to password: String, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> SignInOutcome {
        guard let email = authorization.email else { throw .invalidActionCode }
        return try await codes.counting(in: project, from: client) { () async throws(AccountError) in
            try await retryingConflicts(orRaces: PasswordReset.races) { () async throws(AccountError) in
                guard let account = try await codes.directory.account(email: email, in: project) else { throw .accountNotFound }
                guard try await hasProof(of: account, at: authorization, in: project) else { throw .invalidActionCode }
                guard !account.disabled else { throw .accountDisabled }
                try project.passwordPolicy.check(password)
                let reset = try await codes.reset(
                    account, to: password, spending: { authorization.spendProof(in: project, at: $0) }, signsIn: true, language: language,
                    in: project, from: client)
                let now = max(reset.account.lastLoginAt ?? clock.now(), reset.account.sessionsEndedAt ?? clock.now())
                var authentication = Authentication(account: reset.account, signInProvider: SignInProvider.password, time: now)
                authentication.makesAccount = reset.account.id != account.id
                let outcome = try await completion.complete(
                    authentication, with: reset.statements, as: .signedIn, in: project, from: client, at: now
                ).outcome
                codes.mails.wakeWorker(for: reset.notices, in: project)
                return outcome
            }
        }
    }
}

/// A new password for an account whose owner forgot the old one. The person reads the mailbox, so the address is proven. What another
/// person may have left in the account goes: sessions, codes, and identities that were linked before the address was proven. From an
/// account that custom tokens open and whose address was not proven, the address moves to a new one, which gets the password.
private struct PasswordReset {
    /// The account that has the password now.
    let account: Account
    var statements: [SQL]
    /// Those of the statements that mail something to the owner.
    var notices: [SQL] = []

    /// Whether two resets at once meet in this error: then the second tries again.
    static func races(_ error: AccountError) -> Bool { if case .emailTaken = error { true } else { false } }
}

extension Account {
    /// Makes an account with the password for the owner of the address, which moves to it.
    fileprivate func movingAddress(
        passwordHash: String, spending proof: SQL, lastLoginAt: Instant?, at now: Instant, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) -> PasswordReset {
        var account = Account(id: client.newAccountID, at: now)
        account.lastLoginAt = lastLoginAt
        account.email = email
        account.proveEmail()
        account.passwordUpdatedAt = now
        let act = AuditedAct(by: .person, on: id, from: client, at: now, rule: .heldByBackEnd, code: .resetPassword)
        let creation = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .resetPassword)
        let statements =
            yieldAddress(to: account, act, spending: proof, in: project)
            + [
                account.insert(passwordHash: passwordHash, in: project),
                creation.record(AccountEvent(.accountCreated), in: project),
            ]
        return PasswordReset(account: account, statements: statements)
    }

    /// Notes that the person reads the mails to the address.
    mutating func proveEmail() {
        if !emailProven, phoneNumber != nil { phoneLinkedUnproven = true }
        emailVerified = true
        emailProven = true
    }

    /// A condition on a row in `identities` or `passkeys`: it was linked before the address was proven, as all are when it is proven only now.
    var isUnproven: SQL { "linked_unproven OR NOT \(emailProven)" }

    /// Marks all linked identities and passkeys as linked before the address was proven.
    func markUnproven(in project: ProjectSettings) -> [SQL] {
        ["identities", "passkeys"].map { (table: SQL) in
            """
            UPDATE \(table) SET linked_unproven = true
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT linked_unproven
            """
        }
    }
}
