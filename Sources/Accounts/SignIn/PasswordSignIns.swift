import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// Signs people in by an address and a password: one read, one hash, one transaction.
package struct PasswordSignIns: Sendable {
    let clock: Clock
    let limits: RateLimits
    let passwords: Passwords
    let completion: SignInCompletion

    /// Signs in. An attempt that fails costs exactly one hash and gets the same answer whether the address is unknown or the password is
    /// wrong (SEC-15). Only a caller who knows the password learns that an account is disabled.
    ///
    /// Throws `tooManyAttempts` before anything is hashed; `invalidCredentials` or, where addresses are not protected, `noSuchEmail` and
    /// `wrongPassword`; `accountDisabled`; and `passwordRequirements` where the project's policy makes people upgrade at sign-in.
    /// - Parameter otherwise: another way in, which is tried with the error before the attempt counts as refused.
    package func signIn(
        email: String, password: String, in project: ProjectSettings, from client: Session.ClientInfo,
        otherwise: (AccountError) async throws(AccountError) -> (Account, SignInOutcome) = { error throws(AccountError) in throw error }
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await completion.tellingRefusals(by: SignInProvider.password, email: email, in: project, from: client) {
            () async throws(AccountError) in
            do throws(AccountError) {
                return try await signInUncounted(email: email, password: password, in: project, from: client)
            } catch {
                return try await otherwise(error)
            }
        }
    }

    private func signInUncounted(
        email: String, password: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let attempt = Attempt(.password, from: client, email: email, in: project)
        let found = try await withPassword(email: email, charging: attempt, in: project)
        guard try await passwords.check(password, against: found?.hash, in: project), let found, let hash = found.hash else {
            throw Self.refusal(of: found?.account, in: project)
        }
        var account = found.account
        guard !account.disabled else { throw .accountDisabled }
        try project.passwordPolicy.checkAtSignIn(password)
        let now = clock.now()
        account.noteFirstProof(at: now)
        var statements: [SQL] = [
            .required(
                """
                UPDATE accounts SET last_login_at = \(account.lastLoginAt)
                WHERE project_id = \(project: project) AND account_id = \(account.id) AND NOT disabled
                    AND password_updated_at = \(account.passwordUpdatedAt) AND email = \(email) RETURNING account_id
                """)
        ]
        if !passwords.isCurrent(hash) {
            let fresh = try await passwords.hash(password)
            statements.append(
                """
                UPDATE accounts SET password_hash = \(fresh.text)
                WHERE project_id = \(project: project) AND account_id = \(account.id) AND password_hash = \(hash.text)
                """)
        }
        statements += limits.success(of: attempt)
        let authentication = Authentication(account: account, signInProvider: SignInProvider.password, time: now)
        do {
            let done = try await completion.complete(
                authentication, with: statements, as: .signedIn, sharesCommit: true, in: project, from: client, at: now)
            return (done.account, done.outcome)
        } catch {
            // The password was changed, or the account disabled, since it was read.
            if case .conflict = error { throw Self.refusal(of: account, in: project) }
            // The password was right: the account's owner, who tries again, must not be locked out.
            if error.isOfHook { _ = try await completion.storage.write(all: limits.success(of: attempt)) }
            throw error
        }
    }

    private func withPassword(
        email: String, charging attempt: Attempt, in project: ProjectSettings
    ) async throws(AccountError) -> (account: Account, hash: PasswordHash?)? {
        let rows = try await limits.charge(attempt, then: Account.select("a.email = \(email)", with: "a.password_hash", in: project))
        guard var row = rows.first?.reader(), let account = try reading({ try Account(&row) }) else { return nil }
        return (account, try reading { try row.next(as: String?.self) }.flatMap(PasswordHash.init))
    }

    /// - Parameter account: the one that has the address, but not the password.
    private static func refusal(of account: Account?, in project: ProjectSettings) -> AccountError {
        if project.emailEnumerationProtection { return .invalidCredentials(of: account?.id) }
        return account.map { .wrongPassword(of: $0.id) } ?? .noSuchEmail
    }
}
