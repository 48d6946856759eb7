import Postgres
package import ProjectSettings
import Runtime

/// Proves, changes and gives back addresses by codes.
extension ActionCodes {
    /// Uses a code of kind `verifyEmail`, `verifyAndChangeEmail`, `recoverEmail` or `revertSecondFactorAddition`. A wrong code counts against its
    /// client.
    ///
    /// Throws `invalidActionCode` (also for the other kinds), `expiredActionCode`, `accountNotFound`, `accountDisabled`, and `emailTaken`
    /// when another account has the address by now.
    /// - Parameter kind: `nil` for any of the four.
    package func apply(
        _ code: String, as kind: ActionCode.Kind? = nil, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (ActionCode, Account) {
        try await counting(in: project, from: client) { () async throws(AccountError) in
            try await retryingConflicts { () async throws(AccountError) in
                let pending = try await pending(code, as: kind, in: project)
                let account: Account
                switch pending.code.kind {
                case .verifyEmail: account = try await verify(pending, in: project)
                case .verifyAndChangeEmail: account = try await move(pending, language: language, in: project, from: client)
                case .recoverEmail: account = try await recover(pending, in: project, from: client)
                case .revertSecondFactorAddition: account = try await revert(pending, in: project, from: client)
                case .resetPassword, .signIn: throw .invalidActionCode
                }
                return (pending.code, account)
            }
        }
    }

    private func verify(_ pending: PendingCode, in project: ProjectSettings) async throws(AccountError) -> Account {
        let account = try pending.holder()
        var changed = account
        changed.proveEmail()
        var statements = [changed.update(from: account, passwordHash: nil, in: project), pending.spend(at: clock.now())]
        if !account.emailProven { statements += account.markUnproven(in: project) }
        statements.append(account.deleteCodes(.only(.verifyEmail), in: project))
        _ = try await storage.write(all: statements, waitingFor: account.id)
        return changed
    }

    private func move(
        _ pending: PendingCode, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Account {
        let account = try pending.holder()
        guard let email = pending.code.newEmail else { throw .invalidActionCode }
        guard try await directory.isFree(email, in: project) else { throw .emailTaken }
        let now = clock.now()
        var changed = account
        changed.move(to: email)
        changed.proveEmail()
        changed.endTokens(at: now)
        let events = account.events(to: changed)
        let notice = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .verifyAndChangeEmail)
        let statements =
            [changed.update(from: account, passwordHash: nil, in: project), pending.spend(at: now)] + account.markUnproven(in: project)
            + [
                account.deleteCodes(.allButRecovery, in: project),
                act.endSessions(of: account, because: "e-mail address changed", in: project),
            ]
        _ = try await storage.write(all: statements + act.records(of: events, in: project) + notice, waitingFor: account.id)
        mails.wakeWorker(for: notice, in: project)
        return changed
    }

    /// Gives the account back to the owner of `code.email`, who has proven it now. Ends all sessions, later codes and the password, and
    /// unlinks every identity and passkey that was linked since the change or in the week before it. When the address was not proven as the code was
    /// made, unlinks all identities: they may belong to a person who made the account for a stranger's address. No mail tells of this,
    /// since it would go to the intruder. The owner sets a new password by mail. An account that custom tokens open does not go back to an
    /// address that was not proven: the next token would open it for the person whom the back end means (`AddressMove.swift`).
    private func recover(
        _ pending: PendingCode, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Account {
        let account = try pending.holder()
        let code = pending.code
        guard let email = code.email, code.emailProven || !account.customAuth else { throw .invalidActionCode }
        if account.email != email {
            guard try await directory.isFree(email, in: project) else { throw .emailTaken }
        }
        let now = clock.now()
        var changed = account
        if account.email != email { changed.move(to: email) }
        changed.proveEmail()
        changed.endTokens(at: now)
        changed.passwordUpdatedAt = nil
        // It is not known since when it has been linked.
        changed.phoneNumber = nil
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .recoverEmail)
        let statements =
            [changed.update(from: account, passwordHash: nil, in: project), pending.spend(at: now)]
            + act.unlinkAll(where: "linked_at >= \(code.created - Self.preparation) OR NOT \(code.emailProven)", in: project)
            + [
                account.deleteCodes(.since(code.created), in: project), changed.deleteCodes(.since(code.created), in: project),
                act.endSessions(of: account, because: "account recovered", in: project),
            ]
        let records = act.records(of: account.events(to: changed) + account.phoneEvents(to: changed), in: project)
        _ = try await storage.write(all: statements + records, waitingFor: account.id)
        return changed
    }

    /// Takes away one second factor, which another person than the owner may have enrolled: that person knew how to sign in, so all sessions
    /// end, and with them what stands in for second factors. No mail tells of this, since the owner has just read one.
    private func revert(
        _ pending: PendingCode, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Account {
        guard let account = pending.account else { throw .accountNotFound }
        guard !account.disabled else { throw .accountDisabled }
        guard let factor = pending.code.factor else { throw .invalidActionCode }
        let rows = try await storage.read(FactorSecrets.select(of: account.id, in: project))
        var factors = try secrets.factors(of: account, rows, in: project)
        factors.remove(factor.id)
        let now = clock.now()
        var (changed, statements) = secrets.removing(factors, of: account, factor.id, in: project)
        changed.endTokens(at: now)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .revertSecondFactorAddition)
        statements += [changed.update(from: account, passwordHash: nil, in: project), pending.spend(at: now)]
        statements += [
            RecoveryCodes.deletion(of: account.id, in: project),
            account.deleteCodes(.allButRecovery, in: project),
            act.endSessions(of: account, because: "second factor reverted", in: project),
            act.record(AccountEvent(.secondFactorRemoved, factorID: factor.id), in: project),
        ]
        _ = try await storage.write(all: statements, waitingFor: account.id)
        return changed
    }

    /// How long before a change of the address an intruder may have prepared it.
    private static let preparation: Duration = .seconds(7 * 86400)

    /// Makes a code that sets a new password, for a page that has just given an address back. It is not mailed.
    package func resetCode(for account: Account, in project: ProjectSettings) async throws(AccountError) -> String {
        let (text, hash) = ActionCode.secret()
        let now = clock.now()
        let kind = ActionCode.Kind.resetPassword
        let code = ActionCode(
            kind: kind, accountID: account.id, email: account.email, newEmail: nil, emailProven: account.emailProven, created: now,
            expires: now + kind.lifetime)
        _ = try await storage.write(all: [code.insert(hash: hash, for: .account(account), in: project)], waitingFor: account.id)
        return text
    }
}
