package import Crypto
import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// Enrols second factors, and withdraws them.
///
/// A person who enrols one must have signed in a moment ago, with a second factor where the account has one already (SEC-35): a stolen session
/// adds no factor of the thief's, and removes none of the owner's. A mail tells the owner of each, and has a link that takes the factor away
/// again.
package struct FactorEnrollments: Sendable {
    let storage: Storage
    let clock: Clock
    let idTokens: IDTokens
    let secrets: FactorSecrets
    let notices: OwnerNotices
    let completion: SignInCompletion
    let keys: SealingKeys

    /// An authenticator app that is being enrolled: the secret for the person, and what brings it back.
    package struct StartedTOTP: Sendable {
        package let totp: TOTP
        /// The secret, sealed; nothing is stored before it is enrolled.
        package let session: String
        package let expires: Instant
    }

    package static let lifetime: Duration = .seconds(600)

    /// Begins to enrol an authenticator app.
    ///
    /// Throws what `caller` throws.
    package func startTOTP(
        forIDToken idToken: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> StartedTOTP {
        try start(for: try await caller(idToken, adding: .totp, in: project, from: client), in: project)
    }

    func start(for caller: FactorCaller, in project: ProjectSettings) throws(AccountError) -> StartedTOTP {
        let expires = clock.now() + Self.lifetime
        let secret = Random.bytes(TOTP.secretCount)
        guard let totp = TOTP(secret: secret) else { throw .codeSessionUnknown }
        let plain = Random.bytes(16) + expires.microseconds.bigEndianBytes + secret + Array(caller.account.id.utf8)
        return StartedTOTP(
            totp: totp, session: Base64URL.encode(keys.seal(plain, context: Self.context(project))), expires: expires)
    }

    /// Enrols the authenticator app that shows this code. The code that enrols does not sign in.
    ///
    /// Throws what `caller` throws, `codeSessionUnknown`, `codeSessionExpired`, and `wrongCode`.
    /// - Returns: a session of the caller in which the factor was passed.
    package func finishTOTP(
        forIDToken idToken: String, session: UTF8Text, code: UTF8Text, name: String?, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await retryingConflicts { () async throws(AccountError) in
            let caller = try await caller(idToken, adding: .totp, in: project, from: client)
            return try await finish(for: caller, session: session, code: code, name: name, language: language, in: project, from: client)
        }
    }

    func finish(
        for caller: FactorCaller, session: UTF8Text, code: UTF8Text, name: String?, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let started = try opened(session, of: caller.account, in: project)
        guard let step = started.totp.step(of: code.asString, at: clock.now(), adjacent: Int64(project.multiFactor.adjacentIntervals))
        else { throw .wrongCode }
        let (id, now) = (AccountID.random(), clock.now())
        let factor = SecondFactors.Factor(started.totp, id: id, name: name, at: now)
        do throws(AccountError) {
            return try await add(
                factor, to: caller, proving: SecondFactorProof(kind: SecondFactorProof.totp, id: id), used: (id, step),
                with: [started.spend(in: project)], language: language, in: project, from: client, at: now)
        } catch { throw error.ofSpentToken(.codeSessionUnknown) }
    }

    /// Takes a second factor from the caller's account. The last one takes the recovery codes with it.
    ///
    /// Throws what `IDTokens.account` throws, `secondFactor(.notFound)`, `signInTooOld`, and `secondFactor(.lastOfRequired)`.
    /// - Returns: a session of the caller without a second factor. Only a recovery code stays in it, so that the session changes nothing else.
    package func withdraw(
        _ id: UTF8Text, forIDToken idToken: String, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await retryingConflicts { () async throws(AccountError) in
            let caller = try await found(idToken, in: project, from: client)
            let account = caller.account
            guard let factor = caller.factors.factor(id.asString) else { throw .secondFactor(.notFound) }
            try caller.token.requireFreshToWithdraw(for: account, in: project, at: clock.now())
            var rest = caller.factors
            rest.remove(factor.id)
            guard !rest.isEmpty || project.multiFactor.state != .mandatory else { throw .secondFactor(.lastOfRequired) }
            let now = clock.now()
            let event = AccountEvent(.secondFactorRemoved, factorID: factor.id)
            let (changed, statements) = secrets.removing(rest, of: account, factor.id, in: project)
            let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
            let mails = notices.statements(for: [event], from: account, to: changed, language: language, in: project)
            let authentication = Authentication(
                account: changed, signInProvider: caller.token.signInProvider, time: min(now, caller.token.authTime),
                continuesSession: true,
                secondFactor: caller.token.secondFactor.flatMap { $0.countsForChanges ? nil : $0 })
            let done = try await completion.complete(
                authentication, with: statements + caller.token.holdSession(in: project) + [act.record(event, in: project)] + mails,
                as: nil,
                in: project, from: client, at: now)
            notices.mails.wakeWorker(for: mails, in: project)
            return (changed, done.outcome)
        }
    }

    private static func context(_ project: ProjectSettings) -> String { "project " + project.storageID }
}

/// The caller's account with its second factors.
struct FactorCaller {
    let account: Account
    let token: IDToken
    /// With their secrets.
    let factors: SecondFactors
}

extension FactorEnrollments {
    /// The caller, who may enrol a second factor of this kind now.
    ///
    /// Throws what `IDTokens.account` throws, `secondFactor(.notEnabled)`, `secondFactor(.firstFactorUnsupported)`, `secondFactor(.emailUnverified)`,
    /// `signInTooOld`, and `secondFactor(.tooMany)`.
    func caller(
        _ idToken: String, adding kind: SecondFactorError.Kind, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> FactorCaller {
        guard kind == .totp ? project.multiFactor.offersTOTP : project.multiFactor.offersSMS else { throw .secondFactor(.notEnabled(kind)) }
        let caller = try await found(idToken, in: project, from: client)
        try check(caller, in: project)
        return caller
    }

    /// Throws unless the caller may enrol a second factor now.
    func check(_ caller: FactorCaller, in project: ProjectSettings) throws(AccountError) {
        guard !Self.withoutSecondFactor.contains(caller.token.signInProvider) else { throw .secondFactor(.firstFactorUnsupported) }
        guard caller.account.email != nil, caller.account.emailVerified else { throw .secondFactor(.emailUnverified) }
        try idTokens.requireFreshForSession(caller.token, of: caller.account, in: project)
        guard caller.factors.factors.count < SecondFactors.most else { throw .secondFactor(.tooMany) }
    }

    /// The ways to sign in after which no second factor is asked for.
    private static let withoutSecondFactor: Set<String> = [SignInProvider.anonymous, SignInProvider.phone, SignInProvider.custom]

    private func found(
        _ idToken: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> FactorCaller {
        var (account, token, others) = try await idTokens.account(
            of: idToken, with: "a.factor_secrets", charging: (.update, client), in: project)
        let sealed = try reading { try others.next(as: [UInt8]?.self) }
        return FactorCaller(account: account, token: token, factors: SecondFactors(try secrets.opened(account, sealed, in: project)))
    }

    /// Adds a factor that the caller has just proven, and makes a session in which it was passed. Mails the owner.
    ///
    /// - Parameters:
    ///   - used: the newest used step of an authenticator app.
    ///   - statements: what else must be committed.
    func add(
        _ factor: SecondFactors.Factor, to caller: FactorCaller, proving proof: SecondFactorProof, used: (id: String, step: Int64)? = nil,
        with statements: [SQL], language: String, in project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let (account, token) = (caller.account, caller.token)
        var factors = caller.factors
        // A new authenticator app takes the place of one that nothing here can judge.
        if factor.kind == .totp { factors.removeLost() }
        factors.add(factor)
        let event = AccountEvent(.secondFactorAdded, factorID: factor.id)
        try await notices.charge(for: [event], to: account, in: project, from: client)
        let (changed, storing) = secrets.store(factors, of: account, used: used, in: project)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let mails = notices.statements(for: [event], from: account, to: changed, language: language, in: project)
        let authentication = Authentication(
            account: changed, signInProvider: token.signInProvider, time: min(now, token.authTime), continuesSession: true,
            secondFactor: proof)
        let done = try await completion.complete(
            authentication,
            with: storing + token.holdSession(in: project) + statements + [act.record(event, in: project)] + mails, as: nil, in: project,
            from: client, at: now)
        notices.mails.wakeWorker(for: mails, in: project)
        return (changed, done.outcome)
    }

    /// The authenticator app of an enrolment that was begun.
    struct OpenedTOTP {
        let id: [UInt8]
        let expires: Instant
        let totp: TOTP

        func spend(in project: ProjectSettings) -> SQL {
            "INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project: project), \(id), \(expires))"
        }
    }

    func opened(_ session: UTF8Text, of account: Account, in project: ProjectSettings) throws(AccountError) -> OpenedTOTP {
        let start = 24 + TOTP.secretCount
        guard let sealed = Base64URL.decodeStrict(session.asString), let plain = try? keys.open(sealed, context: Self.context(project)),
            plain.count > start, String(decoding: plain[start...], as: UTF8.self).isExactly(account.id),
            let totp = TOTP(secret: Array(plain[24..<start]))
        else { throw .codeSessionUnknown }
        let expires = Instant(microseconds: Int64(bigEndianBytes: plain[16..<24]))
        guard expires > clock.now() else { throw .codeSessionExpired }
        return OpenedTOTP(id: Array(plain[..<16]), expires: expires, totp: totp)
    }
}

extension IDToken {
    /// As `requireFresh`. A recovery code is enough: it is for people who have lost the factor that they withdraw.
    fileprivate func requireFreshToWithdraw(for account: Account, in project: ProjectSettings, at now: Instant) throws(AccountError) {
        guard account.standing(secondFactor) != nil, !(authTime + project.signIn.recentLogin).isInEarlierSecond(than: now) else {
            throw .signInTooOld
        }
    }
}

extension FactorSecrets {
    /// Stores the list without the factor `id`. Sessions in which it was passed go on without a second factor; an account without any other loses
    /// its recovery codes.
    func removing(
        _ rest: SecondFactors, of account: Account, _ id: String, in project: ProjectSettings
    ) -> (changed: Account, statements: [SQL]) {
        var (changed, statements) = store(rest, of: account, in: project)
        statements.append(
            """
            UPDATE sessions SET second_factor = NULL, second_factor_id = NULL
            WHERE project_id = \(project: project) AND account_id = \(account.id) AND second_factor_id = \(id)
            """)
        if rest.isEmpty { statements.append(RecoveryCodes.deletion(of: account.id, in: project)) }
        return (changed, statements)
    }
}
