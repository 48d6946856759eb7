import Crypto
package import Identity
package import Postgres
package import ProjectSettings
package import Runtime

/// The purpose of a federated sign-in.
package enum SignInIntent: Sendable {
    /// `mayCreate` is false when the caller only reauthenticates.
    case signIn(mayCreate: Bool)
    /// Add the identity to the account of this token, if the token is still valid at that time.
    case link(IDToken)
}

extension SignInIntent {
    /// The token of a link.
    var token: IDToken? { if case .link(let token) = self { token } else { nil } }
}

/// The result of a sign-in or link with a proven identity.
package enum FederatedSignIn: Sendable {
    case signedIn(Account, SignInOutcome, isNewUser: Bool, emailRecycled: Bool)
    /// The address belongs to this account, to which the person must sign in first; nothing was changed.
    case needsConfirmation(Account)
}

/// An identity that a provider proved, and what came with the proof.
package struct ProvenIdentity: Sendable {
    package let identity: ProviderIdentity
    /// When the provider proved it; `nil` when it has just done so.
    package let provenAt: Instant?
    /// The provider's tokens, where its entry has them kept for back ends.
    package let tokens: ProviderTokens?
    /// The provider's words for hooks; `nil` where the project has none.
    package let credential: ProviderCredential?

    package init(
        _ identity: ProviderIdentity, provenAt: Instant? = nil, tokens: ProviderTokens? = nil, credential: ProviderCredential? = nil
    ) {
        self.identity = identity
        self.provenAt = provenAt
        self.tokens = tokens
        self.credential = credential
    }

    /// The same with the texts of the identity as accounts keep them.
    var kept: ProvenIdentity { ProvenIdentity(identity.kept, provenAt: provenAt, tokens: tokens, credential: credential) }
}

/// Signing in with a provider, and linking one.
package struct FederatedSignIns: Sendable {
    let storage: Storage
    let lookup: LinkingLookup
    let justInTime: JustInTimeImports
    let clock: Clock
    let notices: OwnerNotices
    let completion: SignInCompletion
    let tokens: ProviderTokenStore

    /// Signs in with an identity that a provider proved, or links it: one read, the decision, one transaction.
    ///
    /// The transaction is undone when the data that was read has changed; then the call reads and decides again. A mail tells the owner of
    /// an account that gains the identity (`notices`). Throws `tooManyAttempts` when a link would send one mail too many, and
    /// `invalidPendingToken` when the account's sessions were ended after the proof.
    /// - Parameters:
    ///   - language: the language of that mail.
    ///   - completing: a statement that must take effect together with the sign-in, such as the end of its flow.
    package func signIn(
        with proven: ProvenIdentity, _ intent: SignInIntent, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo, completing: SQL? = nil
    ) async throws(AccountError) -> FederatedSignIn {
        let kept = proven.kept
        return try await completion.tellingRefusals(
            by: kept.identity.providerID, email: kept.identity.email, in: project, from: client
        ) { () async throws(AccountError) in
            try await signInUncounted(
                with: kept, intent, language: language, in: project, from: client, completing: completing)
        }
    }

    private func signInUncounted(
        with proven: ProvenIdentity, _ intent: SignInIntent, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo, completing: SQL?
    ) async throws(AccountError) -> FederatedSignIn {
        let identity = proven.identity
        // A link that loses a race for its identity or its address is refused: another account has it now.
        return try await retryingConflicts(tries: 3, orRaces: { intent.token == nil && $0.isTaken }) { () async throws(AccountError) in
            let found = try await find(identity, intent, in: project)
            let decision = Linking.decide(try linkingIntent(intent, found, in: project), identity, found.candidates, project.signIn)
            return try await carryOut(
                decision, proven, intent, language: language, in: project, from: client, completing: completing)
        }
    }

    /// Finds the accounts that it is about. Where the identity would get a new account, or another one, Firebase is asked first who has it.
    private func find(
        _ identity: ProviderIdentity, _ intent: SignInIntent, in project: ProjectSettings
    ) async throws(AccountError) -> LinkingLookup.Found {
        let (caller, lives) = (intent.token?.accountID, intent.token?.sessionLives(in: project) ?? "false")
        let found = try await lookup.find(identity, linkingTo: caller, sessionLives: lives, in: project)
        guard found.candidates.owner == nil, caller != nil || found.candidates.accountOfAddress == nil else { return found }
        let person = FormerPerson.identity(
            providerID: identity.providerID, subjects: identity.names, email: caller == nil ? identity.email : nil)
        switch try await justInTime.bring(person, in: project) {
        case .nobody: return found
        case .refused: throw identity.email == nil || caller != nil ? .identityTaken : .emailTaken
        case .here: return try await lookup.find(identity, linkingTo: caller, sessionLives: lives, in: project)
        }
    }

    /// The account to link to is as the database has it now, not as it was when the caller's token was issued.
    private func linkingIntent(
        _ intent: SignInIntent, _ found: LinkingLookup.Found, in project: ProjectSettings
    ) throws(AccountError) -> Linking.Intent {
        switch intent {
        case .signIn(let mayCreate): return .signIn(mayCreate: mayCreate)
        case .link(let token):
            guard let linking = found.linking else { throw .accountNotFound }
            try linking.check(token, sessionLives: found.sessionLives, at: clock.now())
            try token.requireSessionOrFresh(for: linking, in: project, at: clock.now())
            try token.requireFreshSecondFactor(for: linking, in: project, at: clock.now())
            return .link(linking)
        }
    }

    private func carryOut(
        _ decision: LinkingDecision, _ proven: ProvenIdentity, _ intent: SignInIntent, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo, completing: SQL?
    ) async throws(AccountError) -> FederatedSignIn {
        let (now, identity, provenAt) = (clock.now(), proven.identity, proven.provenAt)
        var account: Account
        var statements: [SQL]
        var counted = SignInMetrics.Outcome.signedIn
        switch decision.action {
        case .refuse(let refusal): throw refusal.error
        case .confirm(let accountOfAddress):
            if let completing { _ = try await storage.write(completing) }
            completion.log.note(identity.providerID, .needsConfirmation, of: nil, in: project, from: client, at: now)
            return .needsConfirmation(accountOfAddress)
        case .signIn(let known):
            try known.checkProof(from: provenAt)
            account = known
            account.noteFirstProof(at: now)
            statements = [account.recordSignIn(in: project), account.refresh(identity, in: project, at: now)]
        case .create(let email):
            account = Account(client.newAccountID, new: identity, email: email, at: now)
            counted = .created
            statements = [account.insert(in: project), account.insert(identity, in: project, at: now)]
        case .moveAddress(let holder):
            account = Account(client.newAccountID, new: identity, email: holder.email, at: now)
            account.proveEmail()
            counted = .created
            statements = holder.yieldAddress(to: account, act(decision, on: holder, from: client, at: now), in: project)
            statements += [account.insert(in: project), account.insert(identity, in: project, at: now)]
        case .join(let found), .link(let found):
            try found.checkProof(from: provenAt)
            account = found
            account.join(identity, takeover: false, oneAccountPerEmail: project.signIn.oneAccountPerEmail, at: now)
            statements = [account.update(found, takeover: false, in: project)]
            if let token = intent.token {
                counted = .linked
                statements += token.holdSession(in: project)
            }
            statements.append(account.insert(identity, in: project, at: now))
        case .takeOver(let found, _):
            account = found
            account.join(identity, takeover: true, oneAccountPerEmail: project.signIn.oneAccountPerEmail, at: now)
            statements = [account.update(found, takeover: true, in: project)]
            statements += found.revokeForTakeover(act(decision, on: found, from: client, at: now), in: project, at: now)
            statements.append(account.insert(identity, in: project, at: now))
        }
        account.remember(identity)
        if let tokens = proven.tokens {
            let owner = ProviderTokens.Owner(projectID: project.storageID, accountID: account.id, providerID: identity.providerID)
            statements.append(self.tokens.storing(tokens, of: owner, at: now))
        }
        var mails: [SQL] = []
        // A proof may be from before a takeover or a new account. Other verifiers compare `validSince` with the `auth_time` of a token.
        var authTime = max(provenAt ?? now, account.validSince)
        if let joined = decision.action.joined {
            let events = joined.events(to: account)
            if let token = intent.token {
                try await notices.charge(for: events, to: joined, in: project, from: client)
                authTime = min(authTime, token.authTime(linkingTo: joined, at: now))
            }
            statements += act(decision, on: joined, from: client, at: now).records(of: events, in: project)
            mails = notices.statements(for: events, from: joined, to: account, language: language, in: project)
            statements += mails
        }
        if let completing { statements.append(completing) }
        let authentication = Authentication(
            account: account, signInProvider: identity.providerID, time: authTime, continuesSession: intent.token != nil,
            secondFactor: intent.token?.secondFactor, credential: proven.credential)
        let done = try await completion.complete(
            authentication, with: statements, as: counted, sharesCommit: decision.action.isPlain, in: project, from: client, at: now)
        notices.mails.wakeWorker(for: mails, in: project)
        return .signedIn(done.account, done.outcome, isNewUser: counted == .created, emailRecycled: decision.action.isRecycled)
    }

    private func act(_ decision: LinkingDecision, on account: Account, from client: Session.ClientInfo, at now: Instant) -> AuditedAct {
        AuditedAct(by: .person, on: account.id, from: client, at: now, rule: decision.rule)
    }
}

extension AccountError {
    /// Whether another account has what this one was to get.
    fileprivate var isTaken: Bool {
        switch self {
        case .emailTaken, .identityTaken: true
        default: false
        }
    }
}
