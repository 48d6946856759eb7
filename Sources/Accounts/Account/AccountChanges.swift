import Crypto
import JSON
import Postgres
package import ProjectSettings
import Runtime

/// The changes that people make to their own accounts.
package struct AccountChanges: Sendable {
    let storage: Storage
    let clock: Clock
    let directory: AccountDirectory
    let idTokens: IDTokens
    let passwords: Passwords
    let notices: OwnerNotices
    let completion: SignInCompletion

    /// Changes the caller's own account as they ask.
    ///
    /// A change of the address or the password ends every session, every ID token and every pending code. The caller gets a new session in
    /// place of theirs, and the former address gets a mail with a way back. When the address or the password is only removed, the caller's
    /// own session goes on, since SDKs take no tokens from that answer. When a provider is unlinked, the other sessions that it signed in
    /// end, and the codes; the same goes for a passkey. A mail tells the owner of every way to sign in that is added, changed or removed (`OwnerNotices`).
    ///
    /// Throws what `IDTokens.account` throws, then `signInTooOld`, `emailNeedsVerification`, `emailTaken`, what the password policy throws,
    /// `addressNeeded`, and `tooManyAttempts` for the mailbox of the notices.
    /// - Returns: the outcome is `nil` when the caller's own goes on.
    package func update(
        _ idToken: String, _ change: AccountChange, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome?) {
        try await retryingConflicts { () async throws(AccountError) in
            let (account, token) = try await idTokens.account(of: idToken, charging: (.update, client), in: project)
            let linksPassword = change.password != nil && change.email != nil && !account.hasPassword
            guard !project.emailEnumerationProtection || !(change.movesEmail(of: account) || linksPassword) else {
                throw .emailNeedsVerification
            }
            return try await carryOut(change, on: account, token, language: language, in: project, from: client)
        }
    }

    /// Gives the caller's account an address and a password: an anonymous account becomes permanent, any other gets one more way to sign
    /// in.
    ///
    /// Throws as `update` does.
    package func linkPassword(
        _ idToken: String, email: String, password: String, displayName: String?, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        var change = AccountChange()
        change.email = email
        change.password = password
        if let displayName { change.displayName = .set(displayName) }
        return try await completion.tellingRefusals(by: SignInProvider.password, email: email, in: project, from: client) {
            [change] () async throws(AccountError) in
            try await retryingConflicts { () async throws(AccountError) in
                let (account, token) = try await idTokens.account(of: idToken, charging: (.update, client), in: project)
                try token.requireFreshSecondFactor(for: account, in: project, at: clock.now())
                // Where addresses are protected, an address changes only by a mail to the new one.
                guard !project.emailEnumerationProtection || account.email == nil || !change.movesEmail(of: account) else {
                    throw .emailNeedsVerification
                }
                let (changed, outcome) = try await carryOut(change, on: account, token, language: language, in: project, from: client)
                guard let outcome else { throw .conflict }
                return (changed, outcome)
            }
        }
    }

    private func carryOut(
        _ change: AccountChange, on account: Account, _ token: IDToken, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome?) {
        var changed = try change.applied(to: account, at: clock.now())
        if change.needsFreshSignIn(for: account, changed: changed) { try idTokens.requireFresh(token, of: account, in: project) }
        let fate = change.sessions(of: account, changed: changed)
        if fate == .replaced { try token.requireSessionOrFresh(for: account, in: project, at: clock.now()) }
        let phoneEvents = account.phoneEvents(to: changed)
        let unlinked =
            account.identities.filter { !changed.has($0.providerID) }.map(\.providerID)
            + (phoneEvents.isEmpty ? [] : [SignInProvider.phone])
        // A token that names no session does not tell which session is to go on.
        let losesWays = !unlinked.isEmpty || changed.passkeys.count < account.passkeys.count
        if fate == .othersEnd || losesWays, token.sessionID == nil { throw .signInTooOld }
        if let password = change.password { try project.passwordPolicy.check(password) }
        if let email = change.email, change.movesEmail(of: account) {
            guard try await directory.isFree(email, in: project) else { throw .emailTaken }
        }
        try await notices.charge(for: account.events(to: changed) + phoneEvents, to: account, in: project, from: client)
        var hash: PasswordHash?
        if let password = change.password, changed.hasPassword { hash = try await passwords.hash(password) }
        // A hash takes time. What was signed in meanwhile ends, too.
        let now = clock.now()
        changed = try change.applied(to: account, at: now)
        let links = change.password != nil && !account.hasPassword
        let authTime = links ? token.authTime(linkingTo: account, at: now) : now
        if fate != .goOn { changed.endTokens(at: now, sparingSessionFrom: fate == .othersEnd ? token.authTime : authTime) }
        let withdrawn = account.passkeys(lostIn: changed)
        if !unlinked.isEmpty || !withdrawn.isEmpty { changed.noteEndedSessions(at: now) }
        var statements = [changed.update(from: account, passwordHash: hash?.text, in: project)] + token.holdSession(in: project)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        if !unlinked.isEmpty {
            statements += [
                account.stillHasItsIdentities(in: project),
                act.unlink(where: "provider_id = ANY(\(unlinked))", in: project),
                act.endSessions(of: account, signedInBy: unlinked, sparing: token.sessionID, in: project),
                account.deleteCodes(.allButRecovery, in: project),
            ]
        }
        statements += act.removal(of: withdrawn, from: account, sparing: token.sessionID, in: project)
        var events = account.events(to: changed) + phoneEvents
        if changed.hasOtherProfile(than: account) { events.append(AccountEvent(.profileChanged)) }
        statements += act.records(of: events, in: project)
        if fate != .goOn {
            statements += [
                account.deleteCodes(.allButRecovery, in: project),
                act.endSessions(
                    of: account, because: "credentials changed", sparing: fate == .othersEnd ? token.sessionID : nil, in: project),
            ]
        }
        let mails = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        statements += mails
        var outcome: SignInOutcome?
        if fate == .replaced {
            let isByPassword = links || changed.hasPassword && token.signInProvider == SignInProvider.anonymous
            let provider = isByPassword ? SignInProvider.password : token.signInProvider
            let authentication = Authentication(
                account: changed, signInProvider: provider, time: authTime, continuesSession: true,
                secondFactor: changed.standing(token.secondFactor))
            outcome = try await completion.complete(
                authentication, with: statements, as: links ? .linked : nil, by: SignInProvider.password, in: project,
                from: client, at: now
            ).outcome
        } else if !change.removedPasskeys.isEmpty {
            // SDKs take tokens from the answer here, too.
            let authentication = Authentication(
                account: changed, signInProvider: token.signInProvider, time: min(now, token.authTime), continuesSession: true,
                secondFactor: changed.standing(token.secondFactor))
            outcome = try await completion.complete(authentication, with: statements, as: nil, in: project, from: client, at: now).outcome
        } else {
            _ = try await storage.write(all: statements, waitingFor: account.id)
        }
        notices.mails.wakeWorker(for: mails, in: project)
        return (changed, outcome)
    }
}

extension Account {
    /// Undoes the write that it is part of unless the account has as many identities as when it was read: when two requests unlink one
    /// identity each, neither knows that it removes the last one. Stands behind `update`, which locks the account.
    func stillHasItsIdentities(in project: ProjectSettings) -> SQL {
        .required(
            """
            SELECT 1 WHERE (SELECT count(*) FROM identities WHERE project_id = \(project: project) AND account_id = \(id)) = \(identities.count)
            """)
    }
}
