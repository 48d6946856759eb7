import Postgres
package import ProjectSettings
import Runtime
package import Text

/// Signs people in by custom tokens, which a back end of the project signs.
package struct CustomTokenSignIns: Sendable {
    let clock: Clock
    let limits: RateLimits
    let justInTime: JustInTimeImports
    let completion: SignInCompletion

    /// Signs in the person that a service account of the project vouches for, and makes the account when there is none with that id: one
    /// read, one transaction. When two calls race, one of them makes the account and both sign in to it.
    ///
    /// A token from before the account's sessions were ended signs in no more (SEC-50): the account may have another owner since then.
    ///
    /// Throws `customToken`, `accountDisabled` and what `RateLimits.charge` throws; nothing is written then.
    /// - Parameter acceptsUnsigned: also takes a token that proves nothing (`CustomToken.unsigned`); for development alone.
    package func signIn(
        customToken text: UTF8Text, acceptsUnsigned: Bool = false, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome, isNewUser: Bool) {
        try await completion.tellingRefusals(by: SignInProvider.custom, in: project, from: client) { () async throws(AccountError) in
            try await signInUncounted(with: text, acceptsUnsigned: acceptsUnsigned, in: project, from: client)
        }
    }

    private func signInUncounted(
        with text: UTF8Text, acceptsUnsigned: Bool, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome, isNewUser: Bool) {
        let token = try await proven(text, acceptsUnsigned: acceptsUnsigned, in: project, from: client)
        guard token.tenantID == project.tenant.map({ UTF8Text($0.id) }) else { throw .customToken(.tenant) }
        try await justInTime.bring(unlessHere: token.uid, in: project)
        return try await retryingConflicts { () async throws(AccountError) in try await signIn(with: token, in: project, from: client) }
    }

    private func signIn(
        with token: CustomToken, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome, isNewUser: Bool) {
        let now = clock.now()
        // The account, if the token makes it; otherwise the statements alone know it, and read it.
        var entered = Account(id: token.uid, at: now)
        entered.customAuth = true
        let authentication = Authentication(
            account: entered, signInProvider: SignInProvider.custom, time: now, developerClaims: token.developerClaims)
        var statements = [
            enter(token, as: entered, in: project, from: client, at: now), Account.select("a.account_id = \(token.uid)", in: project),
        ]
        if project.customTokens.singleUse { statements.append(token.spend(in: project)) }
        let outcome: SignInOutcome
        let results: [[Row]]
        do {
            let done = try await completion.complete(
                authentication, with: statements, as: nil, sharesCommit: true, isSignIn: true, in: project, from: client, at: now)
            (outcome, results) = (done.outcome, done.rows)
        } catch {
            switch error {
            case .conflict: throw try await refusal(of: token, in: project)
            case .database(.constraint(name: "spent_tokens_pkey", state: _)): throw .customToken(.invalid("The token was used already."))
            default: throw error
            }
        }
        guard let account = try Account.one(of: results[1]) else { throw .conflict }
        let isNewUser = try reading { try results[0].first?.value() ?? false }
        if case .session = outcome {
            completion.log.note(
                SignInProvider.custom, isNewUser ? .created : .signedIn, of: account.id, in: project, from: client, at: now)
        }
        return (account, outcome, isNewUser)
    }

    private func proven(
        _ text: UTF8Text, acceptsUnsigned: Bool, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> CustomToken {
        if acceptsUnsigned, let token = try judging({ () throws(CustomTokenError) in try CustomToken.unsigned(text, at: clock.now()) }) {
            try await limits.charge(.customToken, in: project, from: client)
            return token
        }
        let token = try judging { () throws(CustomTokenError) in try CustomToken.Unverified.parse(text) }
        // A token that an ID token was traded for must not become a session, since ID tokens lie in logs (SEC-59).
        guard token.issuer != project.firestore.map({ UTF8Text($0.signer.email) }) else {
            throw .customToken(.invalid("The service account signs tokens for data at Firebase, which sign people in there alone."))
        }
        let keys = try await serviceAccountKeys(of: token, in: project, from: client)
        return try judging { () throws(CustomTokenError) in try token.verified(by: keys, for: project.id, at: clock.now()) }
    }

    /// Refuses a token as the rules about tokens do.
    private func judging<Result>(_ rule: () throws(CustomTokenError) -> Result) throws(AccountError) -> Result {
        do { return try rule() } catch { throw .customToken(error) }
    }

    private func serviceAccountKeys(
        of token: CustomToken.Unverified, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> [ServiceAccountKey] {
        let email = ServiceAccountEmail(address: token.issuer.asString)
        let keys = email.map { ServiceAccountKey.select(of: $0, id: token.keyID?.asString) }
        var rows = try await limits.charge(Attempt(.customToken, from: client, in: project), then: keys)
        // A key of a Google project with another id, which was imported here.
        if let email, email.projectID != project.id {
            let imported = try await completion.storage.read(
                ServiceAccountKey.select(of: email, id: token.keyID?.asString, in: project.id))
            rows = imported.isEmpty ? rows : imported
        }
        return try reading { try rows.map(ServiceAccountKey.init) }
    }

    /// Why the account did not let the token in: `conflict` when it does so now, since another request has made it meanwhile.
    private func refusal(of token: CustomToken, in project: ProjectSettings) async throws(AccountError) -> AccountError {
        let rows = try await completion.storage.read(Account.select("a.account_id = \(token.uid)", in: project))
        guard let account = try Account.one(of: rows) else { return .conflict }
        if account.disabled { return .accountDisabled }
        guard let ended = account.sessionsEndedAt, ended >= token.issued.nextSecond else { return .conflict }
        return .customToken(.invalid("The token was issued before the sessions of its account were ended."))
    }

    /// Makes the account or finds it; the write is undone as `conflict` when the account is disabled, or has ended sessions in a later second
    /// than that in which the token was issued: a back end that ends all sessions gives the person a new token at once. It is undone, too, when
    /// another request makes the account at the same moment. The first column says whether the account is new.
    private func enter(
        _ token: CustomToken, as account: Account, in project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) -> SQL {
        let act = AuditedAct(by: .person, on: token.uid, from: client, at: now)
        let creation = act.values(.accountCreated, providerID: "\(SignInProvider.custom)", in: project)
        return """
            WITH made AS (
                \(account.insert(in: project)) ON CONFLICT (project_id, account_id) DO NOTHING RETURNING true AS is_new
            ), found AS (
                UPDATE accounts SET last_login_at = \(now), custom_auth = true
                WHERE project_id = \(project: project) AND account_id = \(token.uid)
                    AND NOT disabled AND coalesce(sessions_ended_at < \(token.issued.nextSecond), true)
                RETURNING false AS is_new
            ), recorded AS (
                INSERT INTO audit_events \(AuditedAct.columns) SELECT \(creation) FROM made
            )
            SELECT bool_or(is_new), \(SQL.conflictIfNone) FROM (SELECT is_new FROM made UNION ALL SELECT is_new FROM found) entered
            """
    }
}

extension CustomToken {
    /// Notes that the token is spent. Violates the table's key when it was spent before.
    fileprivate func spend(in project: ProjectSettings) -> SQL {
        "INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project: project), \(digest), \(expires))"
    }
}
