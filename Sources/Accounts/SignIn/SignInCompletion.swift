import Crypto
import Postgres
import ProjectSettings
import Runtime

/// States which person was proven, in which way, and when.
package struct Authentication: Sendable {
    /// As the statements of its sign-in leave it. A custom token's has only its id, since its sign-in reads no account.
    var account: Account
    /// `sign_in_provider` of the session's ID tokens: the id of a provider, or a name of `SignInProvider`.
    let signInProvider: String
    /// When the person authenticated; before now when a pending token kept the provider's answer.
    let time: Instant
    /// A JSON object as text: the claims that a custom token brought.
    var developerClaims: String?
    /// Whether it adds to a session that its person has already, so that no step is due that was taken for that one.
    var continuesSession = false
    /// The second factor that the person has passed besides; `nil` for none.
    var secondFactor: SecondFactorProof?
    /// Whether Firebase's session goes on, and no one signed in here.
    var isBridged = false
    /// Whether a sign-in at a page goes on in an app, so that hooks were asked about it.
    var isHandedOn = false
    /// Whether an account is made although the sign-in does not count as one of a new account.
    var makesAccount = false
    /// For hooks alone: what a provider has just said. `nil` without a provider.
    var credential: ProviderCredential?
}

/// Ends every sign-in. What all ways to sign in have in common belongs here; one statement in this file makes all sessions (`BoundaryTests`).
struct SignInCompletion: Sendable {
    let storage: Storage
    let log: SignInLog
    let refusals: Refusals
    let addressHashes: AddressHashes
    let clock: Clock
    /// The id of the key that makes the session's first refresh token.
    let tokenKey: Int32
    let devices: RememberedDevices
    let lost: LostSecondFactors
    let deliveries: Deliveries
    let hooks: SignInHooks

    /// The end of a sign-in.
    struct Done: Sendable {
        /// As it was committed: hooks may have changed it.
        let account: Account
        let outcome: SignInOutcome
        /// Those that the caller's statements gave.
        let rows: [[Row]]
    }

    /// Makes the session, commits it together with `statements`, and counts the sign-in.
    ///
    /// Where another step is due (`SignInStep.due`), it makes no session, counts nothing, and stores a pending sign-in
    /// (`PendingSignIns`). The statements are committed all the same, since they use up what the person has proven.
    ///
    /// Before a session, the project's hooks are asked (`SignInHooks`). When one refuses, nothing is committed, so that the person can try again
    /// with the same proof: throws `refusedByHook` or `hookUnavailable`. When one disables the account, all is committed but the session: throws
    /// `accountDisabled`.
    ///
    /// - Parameters:
    ///   - statements: what else must be committed. They run first, since the session needs its account.
    ///   - counted: what the metric and the log of sign-ins say; `nil` when an account's session is only replaced, or when the caller counts.
    ///   - id: the id of the session, where a statement names it.
    ///   - sharesCommit: whether the statements are short and lock hardly more than rows of the account, so that the commit is shared with
    ///     other sign-ins.
    ///   - isSignIn: whether endpoints are told of a sign-in; `nil` where `counted` says it.
    ///   - method: the name of the way to sign in that these show, when it is not `signInProvider`.
    func complete(
        _ authentication: Authentication, with statements: [SQL], as counted: SignInMetrics.Outcome?, by method: String? = nil,
        id: [UInt8] = Random.bytes(Session.idCount), sharesCommit: Bool = false, isSignIn: Bool? = nil, in project: ProjectSettings,
        from client: Session.ClientInfo, at now: Instant
    ) async throws(AccountError) -> Done {
        var (authentication, statements) = (authentication, statements)
        if SignInStep.due(after: authentication) == .secondFactor,
            let dropping = try await lost.dropping(from: authentication.account, in: project, from: client, at: now)
        {
            authentication.account.secondFactors = nil
            statements += dropping
        }
        if SignInStep.due(after: authentication) == .secondFactor, !authentication.isBridged,
            try await devices.know(client.devices, of: authentication.account, in: project, at: now)
        {
            authentication.secondFactor = .rememberedDevice
        }
        var hooked: SignInHooks.Verdict?
        if SignInStep.due(after: authentication) == nil {
            hooked = try await hooks.ask(
                about: authentication, isNew: counted == .created || authentication.makesAccount,
                by: method ?? authentication.signInProvider,
                in: project, from: client, at: now)
        }
        if let hooked {
            authentication.account = hooked.account
            authentication.developerClaims = hooked.sessionClaims
        }
        let end = try outcome(
            of: authentication, by: method ?? authentication.signInProvider, due: SignInStep.due(after: authentication), id: id,
            in: project,
            from: client, at: now)
        let isDisabled = hooked?.account.disabled ?? false
        var all = statements + (isDisabled ? [] : end.statements)
        // An anonymous account proves nothing of a person; its record begins with its first way to sign in.
        if counted == .created, authentication.signInProvider != SignInProvider.anonymous {
            let act = AuditedAct(by: .person, on: authentication.account.id, from: client, at: now)
            all.append(act.record(AccountEvent(.accountCreated, providerID: authentication.signInProvider), in: project))
        }
        if isSignIn ?? (counted == .created || counted == .signedIn), case .session = end.outcome, !isDisabled {
            all += project.endpoints(for: .userSignedIn).map { endpoint in
                deliveries.insert(
                    OutgoingEvent(
                        .userSignedIn, of: authentication.account.id, providerID: authentication.signInProvider, at: now, to: endpoint),
                    in: project)
            }
        }
        all += hooked?.statements ?? []
        let rows =
            sharesCommit
            ? try await storage.write(all: all, sharingCommitAs: Array(authentication.account.id.utf8))
            : try await storage.write(all: all, waitingFor: authentication.account.id)
        guard !isDisabled else { throw .accountDisabled }
        switch end.outcome {
        case .session:
            if let counted {
                log.note(
                    method ?? authentication.signInProvider, counted, of: authentication.account.id, in: project, from: client, at: now)
            }
            return Done(account: authentication.account, outcome: end.outcome, rows: rows)
        case .pending(var pending):
            // A link in a mail and digits in a mail prove the same mailbox.
            if !authentication.isBridged, method != EmailLinkSignIns.emailLink, authentication.account.factors.areAllApps {
                pending.needsStandIn = try LostSecondFactors.areLost(rows[statements.count])
            }
            return Done(account: authentication.account, outcome: .pending(pending), rows: rows)
        }
    }

    /// The outcome of a sign-in after which `step` is due, and the statements that store it.
    func outcome(
        of authentication: Authentication, by method: String, due step: SignInStep?, id: [UInt8], in project: ProjectSettings,
        from client: Session.ClientInfo, at now: Instant
    ) throws(AccountError) -> (outcome: SignInOutcome, statements: [SQL]) {
        if let step {
            let pending = PendingSignIn(due: step, credential: .random())
            // A session of Firebase's that lacks the factor does not go on, and no one waits for it.
            guard !authentication.isBridged else { return (.pending(pending), []) }
            let insertion = PendingSignIns.insertion(
                of: authentication, pending.credential, method: method, kind: client.kind, in: project, at: now)
            return (.pending(pending), [insertion])
        }
        let session = Session(authentication, id: id, in: project)
        if authentication.isBridged { return (.session(session), [try bridging(session, from: client, in: project, at: now)]) }
        let expires: Instant? = client.kind == .app ? nil : now + (project.openIDProvider?.sessionLifetime ?? .zero)
        return (.session(session), [try insertion(of: session, client.kind, until: expires, from: client, at: now)])
    }

    /// Makes the session of a relying party, in which its person's sign-in goes on, and commits it together with `statements`.
    func grant(
        _ granted: ClientSession, in browserSession: BrowserSession, with statements: [SQL], of project: ProjectSettings,
        from client: Session.ClientInfo, at now: Instant
    ) async throws(AccountError) {
        let insertion = try insertion(
            of: granted.session, .client, until: granted.expires, granted: granted.grant, in: browserSession, from: client, at: now)
        _ = try await storage.write(
            all: statements + [insertion, ClientSessions.endSurplus(beside: granted, of: project, at: now)],
            waitingFor: granted.session.accountID)
    }

    /// The one statement that makes a session.
    ///
    /// - Parameters:
    ///   - grant: what a relying party was granted, in `browserSession`; `nil` for other kinds of sessions.
    private func insertion(
        of session: Session, _ kind: Session.Kind, until expires: Instant?, granted grant: ClientGrant? = nil,
        in browserSession: BrowserSession? = nil, isBridged: Bool = false, from client: Session.ClientInfo, at now: Instant
    ) throws(AccountError) -> SQL {
        """
        INSERT INTO sessions (project_id, session_id, account_id, sign_in_provider, auth_time, developer_claims, rotated_at, user_agent,
            address, token_key, created_at, refreshed_at, kind, expires_at, client_id, user_flow, scopes, granted, browser_session_id,
            second_factor, second_factor_id, bridged)
        VALUES (\(project: session.projectID), \(session.id), \(session.accountID), \(session.signInProvider), \(session.authTime),
            \(session.developerClaims), \(now), \(client.userAgent), \(client.address), \(tokenKey), \(now), \(now), \(kind.rawValue),
            \(expires), \(grant?.clientID), \(grant?.userFlow), \(grant?.scopes), \(try grant?.json), \(browserSession?.session.id),
            \(session.secondFactor?.kind), \(session.secondFactor?.id), \(isBridged))
        """
    }

    /// Makes the session unless another request has made it meanwhile, since the same token of Firebase's has one session. Records it.
    private func bridging(
        _ session: Session, from client: Session.ClientInfo, in project: ProjectSettings, at now: Instant
    ) throws(AccountError) -> SQL {
        let act = AuditedAct(by: .person, on: session.accountID, from: client, at: now)
        return """
            WITH made AS (
                \(try insertion(of: session, .app, until: nil, isBridged: true, from: client, at: now))
                ON CONFLICT (project_id, session_id) DO NOTHING RETURNING session_id
            )
            INSERT INTO audit_events \(AuditedAct.columns)
            SELECT \(act.values(.sessionBridged, providerID: "\(session.signInProvider)", in: project)) FROM made
            """
    }

    /// Counts an attempt that the rules refuse, and tells the log of it.
    ///
    /// Whatever the reason, the same is computed and written, so that the time of the answer does not tell it (SEC-15).
    /// - Parameters:
    ///   - email: the address that is signed in with, in canonical form; `nil` without one.
    ///   - account: that of the person, where something besides a password has shown whose it is; asked for after the attempt.
    func tellingRefusals<Result>(
        by method: String, email: String? = nil, to account: @autoclosure () -> Account? = nil, in project: ProjectSettings,
        from client: Session.ClientInfo, _ attempt: () async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        do { return try await attempt() } catch {
            guard error.isRefusal else { throw error }
            let (account, now) = (account(), clock.now())
            let emailHash = (email ?? account?.email).map { addressHashes.hash(of: $0, in: project.storageID) }
            let refused = RefusedSignIn(
                method: method, error: error, accountID: account?.id, emailHash: emailHash, projectID: project.storageID,
                client: client)
            log.note(method, .refused, code: refused.code, of: refused.namedID, in: project, from: client, at: now)
            refusals.note(refused, at: now)
            throw error
        }
    }
}

extension Session {
    fileprivate init(_ authentication: Authentication, id: [UInt8], in project: ProjectSettings) {
        self.init(
            projectID: project.storageID, id: id, accountID: authentication.account.id,
            signInProvider: authentication.signInProvider, authTime: authentication.time, developerClaims: authentication.developerClaims,
            secondFactor: authentication.secondFactor, generation: 0)
    }
}

extension AccountError {
    /// Whether a rule refused. The other errors say that this server or its database failed.
    fileprivate var isRefusal: Bool {
        switch self {
        case .conflict, .overloaded, .noSigningKey, .sealBroken, .hashKeyMissing, .database: false
        default: true
        }
    }
}
