import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// A second factor that a person has just passed, the statements that use up what they showed, and those of the mails about it.
package struct PassedSecondFactor: Sendable {
    let proof: SecondFactorProof
    let statements: [SQL]
    let mails: [SQL]

    init(_ proof: SecondFactorProof, spending statements: [SQL], mails: [SQL] = []) {
        self.proof = proof
        self.statements = statements
        self.mails = mails
    }
}

/// Ends pending sign-ins: judges the second factor that the person shows, and makes the session.
///
/// Only a person who has given the first proof comes this far, so the limits here lock out no one else. A wrong code counts against the pending
/// sign-in, the account and the address; any other refusal, such as that of a passkey, against the pending sign-in alone.
package struct SecondFactorSignIns: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits
    package let pending: PendingSignIns
    let recoveryCodes: RecoveryCodes
    let warnings: SecondFactorWarnings
    let completion: SignInCompletion

    /// Signs in with the code of an authenticator app. A text that is not such a code may be a recovery code, since apps have one field for both.
    ///
    /// Throws `secondFactor(.pendingUnknown)`, `secondFactor(.notFound)`, `wrongCode`, also for a code that was used, `accountDisabled`, and
    /// `tooManyAttempts`.
    /// - Parameter language: that of a mail about it.
    package func signIn(
        _ credential: PendingCredential, code: UTF8Text, of factorID: UTF8Text, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await signIn(credential, language: language, in: project, from: client) { waiting throws(AccountError) in
            guard let factor = waiting.factors.factor(factorID.asString) else { throw .secondFactor(.notFound) }
            guard factor.kind == .totp else { throw .secondFactor(.unsupported) }
            if let recoveryCode = RecoveryCode(code) {
                return try await recoveryCodes.judge(recoveryCode, of: waiting.account, language: language, in: project, from: client)
            }
            return try await judge(code, of: factor, waiting, language: language, in: project)
        }
    }

    /// The same at a page, where the person does not say which of their apps shows the code.
    package func signIn(
        _ credential: PendingCredential, code: UTF8Text, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await signIn(credential, language: language, in: project, from: client) { waiting throws(AccountError) in
            for factor in waiting.factors.factors where factor.kind == .totp {
                do throws(AccountError) { return try await judge(code, of: factor, waiting, language: language, in: project) } catch {
                    guard case .wrongCode = error else { throw error }
                }
            }
            throw .wrongCode
        }
    }

    /// Signs in with a recovery code. Throws as the other does.
    package func signIn(
        _ credential: PendingCredential, recoveryCode: UTF8Text, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await signIn(credential, language: language, in: project, from: client) { waiting throws(AccountError) in
            guard let code = RecoveryCode(recoveryCode) else { throw .wrongCode }
            return try await recoveryCodes.judge(code, of: waiting.account, language: language, in: project, from: client)
        }
    }

    /// Signs in with a second factor that `judge` finds right; it throws `wrongCode` for a wrong one.
    func signIn(
        _ credential: PendingCredential, language: String, in project: ProjectSettings, from client: Session.ClientInfo,
        judge: (PendingSignIns.Waiting) async throws(AccountError) -> PassedSecondFactor
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let waiting = try await pending.take(credential, in: project)
        // What a page began ends in the browser's session, and what an app began in its own.
        guard waiting.kind == client.kind else { throw .secondFactor(.pendingUnknown) }
        return try await completion.tellingRefusals(by: waiting.method, to: waiting.account, in: project, from: client) {
            () async throws(AccountError) in
            let attempt = Attempt(.secondFactor, from: client, accountID: waiting.account.id, in: project)
            var passed: PassedSecondFactor?
            do throws(AccountError) { passed = try await judge(waiting) } catch {
                guard case .wrongCode = error else { throw error }
            }
            try await limits.charge(attempt, unlessRight: passed != nil)
            guard let passed else {
                try await warnings.note(refusalOf: waiting.account, language: language, in: project, from: client)
                throw .wrongCode
            }
            return try await complete(waiting, passed, limits.success(of: attempt), in: project, from: client)
        }
    }

    private func complete(
        _ waiting: PendingSignIns.Waiting, _ passed: PassedSecondFactor, _ others: [SQL], in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let now = clock.now()
        var account = waiting.account
        account.lastLoginAt = now
        // A new one: here the client shows no device that is known.
        let device = client.devices.first.flatMap { completion.devices.insertion(of: $0, for: account, in: project, at: now) }
        let statements =
            [account.recordSecondFactor(in: project)] + passed.statements + passed.mails + [waiting.spend(in: project)]
            + others + (device.map { [$0] } ?? [])
        let authentication = Authentication(
            account: account, signInProvider: waiting.signInProvider, time: waiting.authTime, secondFactor: passed.proof)
        do {
            let done = try await completion.complete(
                authentication, with: statements, as: .signedIn, by: waiting.method, in: project, from: client, at: now)
            recoveryCodes.notices.mails.wakeWorker(for: passed.mails, in: project)
            return (done.account, done.outcome)
        } catch {
            // Another request has used the code, or the sign-in has ended. The next try says which.
            guard case .conflict = error else { throw error }
            throw .wrongCode
        }
    }

    /// Each step is used once, and never an earlier one after it, whichever process judges.
    private func judge(
        _ code: UTF8Text, of factor: SecondFactors.Factor, _ waiting: PendingSignIns.Waiting, language: String, in project: ProjectSettings
    ) async throws(AccountError) -> PassedSecondFactor {
        guard let totp = factor.totp else {
            return try await completion.lost.judge(code, of: factor, waiting, language: language, in: project)
        }
        let adjacent = Int64(project.multiFactor.adjacentIntervals)
        guard let step = totp.step(of: code.asString, at: clock.now(), adjacent: adjacent), step > waiting.lastStep(of: factor.id) else {
            throw .wrongCode
        }
        let use = SQL.required(
            """
            UPDATE accounts SET totp_steps = coalesce(totp_steps, '{}') || jsonb_build_object(\(factor.id)::text, \(step)::bigint)
            WHERE project_id = \(project: project) AND account_id = \(waiting.account.id)
                AND coalesce((totp_steps ->> \(factor.id)::text)::bigint, -1) < \(step) RETURNING account_id
            """)
        return PassedSecondFactor(SecondFactorProof(kind: SecondFactorProof.totp, id: factor.id), spending: [use])
    }
}

extension Account {
    /// Records the sign-in, provided that the account is as it was when its person gave the first proof.
    fileprivate func recordSecondFactor(in project: ProjectSettings) -> SQL {
        .required(
            """
            UPDATE accounts SET last_login_at = \(lastLoginAt)
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(sessionsStand)
                AND second_factors IS NOT DISTINCT FROM \(secondFactors) RETURNING account_id
            """)
    }
}
