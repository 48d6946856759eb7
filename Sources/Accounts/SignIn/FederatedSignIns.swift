import Crypto
package import Identity
package import Postgres
package import ProjectSettings
package import Runtime
import Text

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
    case signedIn(Account, Session, isNewUser: Bool, emailRecycled: Bool)
    /// The address belongs to this account, to which the person must sign in first; nothing was changed.
    case needsConfirmation(Account)
}

/// Signing in with a provider, and linking one.
package struct FederatedSignIns: Sendable {
    let storage: Storage
    let clock: Clock
    let notices: OwnerNotices
    let completion: SignInCompletion

    /// Signs in with an identity that a provider proved, or links it: one read, the decision, one transaction.
    ///
    /// The transaction is undone when the data that was read has changed; then the call reads and decides again. A mail tells the owner of
    /// an account that gains the identity (`notices`). Throws `tooManyAttempts` when a link would send one mail too many, and
    /// `invalidPendingToken` when the account's sessions were ended after `provenAt`.
    /// - Parameters:
    ///   - provenAt: the time when the provider proved the identity; `nil` when it has just done so.
    ///   - language: the language of that mail.
    ///   - completing: a statement that must take effect together with the sign-in, such as the end of its flow.
    package func signIn(
        with identity: ProviderIdentity, provenAt: Instant? = nil, _ intent: SignInIntent, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo, completing: SQL? = nil
    ) async throws(AccountError) -> FederatedSignIn {
        try await completion.countingRefusals(by: identity.providerID) { () async throws(AccountError) in
            try await signInUncounted(
                with: identity.kept, provenAt: provenAt, intent, language: language, in: project, from: client, completing: completing)
        }
    }

    private func signInUncounted(
        with identity: ProviderIdentity, provenAt: Instant?, _ intent: SignInIntent, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo, completing: SQL?
    ) async throws(AccountError) -> FederatedSignIn {
        // A link that loses a race for its identity or its address is refused: another account has it now.
        try await retryingWhenOvertaken(tries: 3, orRaces: { intent.token == nil && $0.isTaken }) { () async throws(AccountError) in
            let found = try await holders(of: identity, intent, in: project)
            let decision = try Linking.decide(
                try linkingIntent(intent, found), identity, owner: found.owner, accountOfAddress: found.accountOfAddress,
                oneAccountPerEmail: project.signIn.oneAccountPerEmail)
            if case .create = decision, !project.signIn.signUp { throw .adminOnly }
            return try await carryOut(
                decision, identity, provenAt: provenAt, intent, language: language, in: project, from: client, completing: completing)
        }
    }

    /// The account to link to is as the database has it now, not as it was when the caller's token was issued.
    private func linkingIntent(_ intent: SignInIntent, _ found: Holders) throws(AccountError) -> Linking.Intent {
        switch intent {
        case .signIn(let mayCreate): return .signIn(mayCreate: mayCreate)
        case .link(let token):
            guard let linking = found.linking else { throw .accountNotFound }
            try linking.check(token, sessionLives: found.sessionLives, at: clock.now())
            guard !linking.disabled else { throw .accountDisabled }
            return .link(linking)
        }
    }

    private struct Holders {
        /// Has the identity.
        var owner: Account?
        /// Has the identity's address.
        var accountOfAddress: Account?
        /// The account to link to.
        var linking: Account?
        /// Whether the session that links is alive.
        var sessionLives = false
    }

    /// All accounts that the decision is about, in one read. The identity counts only under the issuer that its provider is pinned to.
    private func holders(
        of identity: ProviderIdentity, _ intent: SignInIntent, in project: ProjectSettings
    ) async throws(AccountError) -> Holders {
        let token = intent.token
        let rows = try await storage.read(
            Account.select(
                """
                (a.email = \(identity.email) OR a.account_id = \(token?.accountID) OR a.account_id = (
                    SELECT account_id FROM identities JOIN provider_issuers p USING (project_id, provider_id)
                    WHERE project_id = \(project.id) AND provider_id = \(identity.providerID) AND p.issuer = \(identity.issuer)
                        AND (subject = ANY(\(identity.names)) OR alias = ANY(\(identity.names))) LIMIT 1))
                """, with: "\(token?.sessionLives(in: project) ?? "false"), i.provider_id, i.tenant, i.alias", in: project))
        let holdings = try reading { try Holding.all(in: rows, of: identity.providerID) }
        var found = Holders()
        for holding in holdings {
            if try holding.isOwner(of: identity) { found.owner = holding.account }
            if let email = identity.email, holding.account.email == email { found.accountOfAddress = holding.account }
            if holding.account.id.isExactly(token?.accountID) {
                found.linking = holding.account
                found.sessionLives = holding.sessionLives
            }
        }
        return found
    }

    /// An account that `holders` found, and what no account shows of its identity of one provider.
    private struct Holding {
        let account: Account
        let sessionLives: Bool
        private var linked: LinkedIdentity?
        private var tenant: String?
        private var alias: String?

        /// The accounts in `rows`, which have one row for each of their identities.
        static func all(in rows: [Row], of providerID: String) throws(PostgresError) -> [Holding] {
            var ofAccounts: [UTF8Text: [Row]] = [:]
            for row in rows { ofAccounts[UTF8Text(try row.value(as: String.self)), default: []].append(row) }
            var holdings: [Holding] = []
            for own in ofAccounts.values { if let holding = try Holding(own, of: providerID) { holdings.append(holding) } }
            return holdings
        }

        private init?(_ rows: [Row], of providerID: String) throws(PostgresError) {
            guard var reader = rows.first?.reader(), let account = try Account(rows, &reader) else { return nil }
            self.account = account
            sessionLives = try reader.next()
            linked = account.identities.first { $0.providerID == providerID }
            for row in rows {
                var row = reader.moved(to: row)
                guard try row.next(as: String?.self) == providerID else { continue }
                tenant = try row.next()
                alias = try row.next()
            }
        }

        func isOwner(of identity: ProviderIdentity) throws(AccountError) -> Bool {
            guard let linked else { return false }
            guard [linked.subject, alias].contains(where: { name in identity.names.contains { $0.isExactly(name) } }) else { return false }
            if let tenant, let claimed = identity.tenant, !tenant.isExactly(claimed) { throw .tenantChanged }
            return true
        }
    }

    private func carryOut(
        _ decision: Linking.Decision, _ identity: ProviderIdentity, provenAt: Instant?, _ intent: SignInIntent, language: String,
        in project: ProjectSettings, from client: Session.ClientInfo, completing: SQL?
    ) async throws(AccountError) -> FederatedSignIn {
        let now = clock.now()
        var account: Account
        var statements: [SQL]
        var isNewUser = false
        var emailRecycled = false
        switch decision {
        case .confirm(let accountOfAddress):
            if let completing { _ = try await storage.write(completing) }
            completion.metrics.count(identity.providerID, .needsConfirmation)
            return .needsConfirmation(accountOfAddress)
        case .known(let known):
            try known.checkProof(from: provenAt)
            account = known
            account.lastLoginAt = now
            statements = [account.recordSignIn(in: project), account.refresh(identity, in: project, at: now)]
        case .create(let email):
            account = Account(new: identity, email: email, at: now)
            isNewUser = true
            statements = [account.insert(in: project), account.insert(identity, in: project, at: now)]
        case .join(let joined, let takeover, let recycled):
            if !takeover { try joined.checkProof(from: provenAt) }
            account = joined
            emailRecycled = recycled
            account.join(identity, takeover: takeover, oneAccountPerEmail: project.signIn.oneAccountPerEmail, at: now)
            statements = [account.update(joined, takeover: takeover, in: project)]
            if let token = intent.token { statements += token.holdSession(in: project) }
            if takeover { statements += account.revokeForTakeover(in: project, at: now) }
            statements.append(account.insert(identity, in: project, at: now))
        }
        account.remember(identity)
        var mails: [SQL] = []
        if case .join(let joined, _, _) = decision {
            let changes = joined.methodChanges(to: account)
            if intent.token != nil { try await notices.charge(for: changes, to: joined, in: project, from: client) }
            mails = notices.statements(for: changes, from: joined, to: account, language: language, in: project)
            statements += mails
        }
        var authTime = provenAt ?? now
        if let token = intent.token, case .join(let joined, _, _) = decision {
            authTime = min(authTime, token.authTime(linkingTo: joined, at: now))
        }
        if let completing { statements.append(completing) }
        let authentication = Authentication(accountID: account.id, signInProvider: identity.providerID, time: authTime)
        let outcome: SignInMetrics.Outcome = intent.token != nil ? .linked : isNewUser ? .created : .signedIn
        let session = try await completion.complete(authentication, with: statements, as: outcome, in: project, from: client, at: now)
            .session
        notices.mails.wakeMailWorker(for: mails)
        return .signedIn(account, session, isNewUser: isNewUser, emailRecycled: emailRecycled)
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
