import Postgres
package import ProjectSettings
import Runtime

/// Signs people in by links in mails.
package struct EmailLinkSignIns: Sendable {
    let clock: Clock
    let codes: ActionCodes
    let idTokens: IDTokens
    let notices: OwnerNotices
    let completion: SignInCompletion

    /// Signs in with the address that the code was mailed to. Without an ID token: to the account that has the address (an owner who proves
    /// it only now takes the account over, SEC-02; where custom tokens open it, the address moves to a new one), or to a new one.
    /// With an ID token: adds the address to the caller's account.
    ///
    /// Throws `invalidActionCode`, `expiredActionCode`, `emailMismatch` when `email` is not the address of the code, what
    /// `IDTokens.account` throws, `emailTaken` (linking), `signInTooOld` (linking in place of another address), `adminOnly` (a new
    /// account), `accountDisabled`. A wrong code counts against its client.
    package func signIn(
        withLink code: String, email: String, linkingTo idToken: String? = nil, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        try await codes.counting(in: project, from: client) { () async throws(AccountError) in
            try await signIn(withMade: code, email: email, linkingTo: idToken, language: language, in: project, from: client)
        }
    }

    /// The same with a code that this server has just made, as `AuthorizationRequests.signInCode` does: nobody can guess it, so no try counts.
    package func signIn(
        withMade code: String, email: String, linkingTo idToken: String? = nil, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        try await completion.tellingRefusals(by: Self.emailLink, email: email, in: project, from: client) { () async throws(AccountError) in
            try await signInUncounted(withLink: code, email: email, linkingTo: idToken, language: language, in: project, from: client)
        }
    }

    /// The name in metrics. In ID tokens it is `password`, as in Firebase's.
    package static let emailLink = "emailLink"

    private func signInUncounted(
        withLink code: String, email: String, linkingTo idToken: String?, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        try await retryingConflicts(orRaces: { if case .emailTaken = $0, idToken == nil { true } else { false } }) {
            () async throws(AccountError) in
            let pending = try await codes.pending(code, as: .signIn, in: project)
            guard pending.code.email == email else { throw .emailMismatch }
            if let idToken {
                let (account, token) = try await idTokens.account(of: idToken, in: project)
                guard pending.account == nil || pending.account?.id == account.id else { throw .emailTaken }
                if account.email != email { try idTokens.requireFresh(token, of: account, in: project) }
                try token.requireFreshSecondFactor(for: account, in: project, at: clock.now())
                try token.requireSessionOrFresh(for: account, in: project, at: clock.now())
                return try await link(pending, email: email, to: account, token, language: language, in: project, from: client)
            }
            if pending.account?.disabled ?? false { throw .accountDisabled }
            guard let account = pending.account, !account.isHeldByBackEnd else {
                return try await create(pending, email: email, in: project, from: client)
            }
            return try await open(account, pending, in: project, from: client)
        }
    }

    /// Makes an account with the address, which moves to it from the account that has it.
    private func create(
        _ pending: PendingCode, email: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        guard project.signIn.signUp else { throw .adminOnly }
        let now = clock.now()
        var account = Account(id: client.newAccountID, at: now)
        account.email = email
        account.proveEmail()
        account.emailLinkSignIn = true
        let statements: [SQL]
        if let holder = pending.account {
            let act = AuditedAct(by: .person, on: holder.id, from: client, at: now, rule: .heldByBackEnd, code: .signIn)
            statements =
                holder.yieldAddress(to: account, act, spending: pending.spend(at: now), in: project) + [account.insert(in: project)]
        } else {
            statements = [account.insert(in: project), pending.spend(at: now), account.deleteCodes(.only(.signIn), in: project)]
        }
        let done = try await complete(account, provenAt: now, with: statements, as: .created, in: project, from: client, at: now)
        return EmailLinkSignIn(account: done.account, outcome: done.outcome, isNewUser: true)
    }

    private func open(
        _ account: Account, _ pending: PendingCode, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        let now = clock.now()
        let takeover = !account.emailProven
        var changed = account
        if takeover { changed.clearForTakeover(at: now) }
        changed.proveEmail()
        changed.emailLinkSignIn = true
        changed.noteFirstProof(at: now)
        let act = AuditedAct(
            by: .person, on: account.id, from: client, at: now, rule: takeover ? .makerNeverProved : nil, code: .signIn)
        let statements =
            [changed.update(account, takeover: takeover, in: project), pending.spend(at: now)]
            + (takeover ? account.revokeForTakeover(act, in: project, at: now) : [account.deleteCodes(.only(.signIn), in: project)])
            + act.records(of: account.events(to: changed), in: project)
        let done = try await complete(changed, provenAt: now, with: statements, as: .signedIn, in: project, from: client, at: now)
        return EmailLinkSignIn(account: done.account, outcome: done.outcome, isNewUser: false)
    }

    private func link(
        _ pending: PendingCode, email: String, to account: Account, _ token: IDToken, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> EmailLinkSignIn {
        let now = clock.now()
        var changed = account
        if account.email != email { changed.move(to: email) }
        changed.proveEmail()
        changed.emailLinkSignIn = true
        changed.lastLoginAt = now
        let authTime = token.authTime(linkingTo: account, at: now)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now, code: .signIn)
        var statements: [SQL] = []
        if changed.credentials != account.credentials {
            changed.endTokens(at: now, sparingSessionFrom: authTime)
            statements = [
                account.deleteCodes(.allButRecovery, in: project),
                act.endSessions(of: account, because: "credentials changed", in: project),
            ]
        }
        statements.insert(
            contentsOf: [changed.update(from: account, passwordHash: nil, in: project)] + token.holdSession(in: project)
                + [pending.spend(at: now)], at: 0)
        if !account.emailProven, account.email == email { statements += account.markUnproven(in: project) }
        let events = account.events(to: changed)
        let notice = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        statements += notice
        statements += act.records(of: events, in: project)
        statements.append(changed.deleteCodes(.only(.signIn), in: project))
        let done = try await complete(
            changed, provenAt: authTime, continuing: token, with: statements, as: .linked, in: project, from: client, at: now)
        notices.mails.wakeWorker(for: notice, in: project)
        return EmailLinkSignIn(account: done.account, outcome: done.outcome, isNewUser: false)
    }

    private func complete(
        _ account: Account, provenAt authTime: Instant, continuing token: IDToken? = nil, with statements: [SQL],
        as counted: SignInMetrics.Outcome, in project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) async throws(AccountError) -> SignInCompletion.Done {
        let authentication = Authentication(
            account: account, signInProvider: SignInProvider.password, time: authTime, continuesSession: token != nil,
            secondFactor: account.standing(token?.secondFactor))
        return try await completion.complete(
            authentication, with: statements, as: counted, by: Self.emailLink, in: project, from: client, at: now)
    }
}

/// The result of a sign-in by a link.
package struct EmailLinkSignIn: Sendable {
    package let account: Account
    package let outcome: SignInOutcome
    package let isNewUser: Bool
}
