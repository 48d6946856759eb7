import Crypto
import Postgres
package import ProjectSettings
import Runtime

extension ActionCodes {
    /// Sets a new password by a code of kind `resetPassword`. The person reads the mailbox, so the address is proven. What another person
    /// may have left in the account goes: sessions, codes, and identities that were linked before the address was proven. From an account
    /// that custom tokens open and whose address was not proven, the address moves to a new one, which gets the password.
    ///
    /// Throws `invalidActionCode`, `expiredActionCode`, what the password policy throws, `accountNotFound`, `accountDisabled`, `adminOnly`
    /// (a new account). The code stays good after each of them.
    package func resetPassword(
        _ code: String, to password: String, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (ActionCode, Account) {
        try await retryingWhenOvertaken(orRaces: { if case .emailTaken = $0 { true } else { false } }) { () async throws(AccountError) in
            let pending = try await pending(code, in: project)
            guard pending.code.kind == .resetPassword else { throw .invalidActionCode }
            try project.passwordPolicy.check(password)
            let account = try pending.holder()
            let hash = try await passwords.hash(password)
            if account.isHeldByBackEnd {
                return (pending.code, try await moveAddress(from: account, pending, passwordHash: hash.text, in: project, from: client))
            }
            let now = clock.now()
            var changed = account
            changed.passwordUpdatedAt = now
            // The account may have been made by a person who does not own the address: what that person put there goes.
            if !account.emailProven { changed.clearProfile() }
            changed.proveEmail()
            changed.endTokens(at: now)
            let act = AuditedAct(
                by: .person, on: account.id, from: client, at: now, rule: account.emailProven ? nil : .makerNeverProved,
                code: .resetPassword)
            let statements: [SQL] = [
                changed.update(from: account, passwordHash: hash.text, in: project), pending.spend(at: now),
                act.unlink(where: account.isUnproven, in: project),
                account.deleteCodes(account.emailProven ? .allButRecovery : .all, in: project),
                act.endSessions(of: account, because: "password reset", in: project),
            ]
            let record =
                (account.emailProven ? [] : [act.record(.accountTakenOver, in: project.id)])
                + act.changes(from: account, to: changed, in: project)
            let methodChanges = account.methodChanges(to: changed)
            let notices = notices.statements(for: methodChanges, from: account, to: changed, language: language, in: project)
            _ = try await storage.write(all: statements + record + notices)
            mails.wakeMailWorker(for: notices)
            return (pending.code, changed)
        }
    }

    /// Makes an account with the password for the owner of the address, which moves to it.
    private func moveAddress(
        from holder: Account, _ pending: PendingCode, passwordHash: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Account {
        guard project.signIn.signUp else { throw .adminOnly }
        let now = clock.now()
        var account = Account(id: AccountID.random(), at: now)
        account.lastLoginAt = nil
        account.email = holder.email
        account.proveEmail()
        account.passwordUpdatedAt = now
        let act = AuditedAct(by: .person, on: holder.id, from: client, at: now, rule: .heldByBackEnd, code: .resetPassword)
        let creation = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .resetPassword)
        _ = try await storage.write(
            all: holder.yieldAddress(to: account, act, spending: pending, in: project)
                + [account.insert(passwordHash: passwordHash, in: project), creation.record(.accountCreated, in: project.id)])
        return account
    }
}

extension Account {
    /// Removes what the maker of the account said of themselves, and their phone number, by which they would sign in.
    fileprivate mutating func clearProfile() { (phoneNumber, displayName, photoURL, profile) = (nil, nil, nil, nil) }

    /// Notes that the person reads the mails to the address.
    mutating func proveEmail() {
        emailVerified = true
        emailProven = true
    }

    /// A condition on a row in `identities`: it was linked before the address was proven, as all are when it is proven only now.
    var isUnproven: SQL { "linked_unproven OR NOT \(emailProven)" }

    /// Marks all linked identities as linked before the address was proven.
    func markUnproven(in project: ProjectSettings) -> SQL {
        """
        UPDATE identities SET linked_unproven = true
        WHERE project_id = \(project.id) AND account_id = \(id) AND NOT linked_unproven
        """
    }
}
