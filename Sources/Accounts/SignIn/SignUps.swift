import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// Makes accounts that no provider vouches for.
package struct SignUps: Sendable {
    let clock: Clock
    let limits: RateLimits
    let directory: AccountDirectory
    let passwords: Passwords
    let completion: SignInCompletion

    /// Makes an anonymous account: only its own session opens it, until a way to sign in is linked.
    package func signUpAnonymously(
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await completion.tellingRefusals(by: SignInProvider.anonymous, in: project, from: client) { () async throws(AccountError) in
            try await limits.charge(.signUp, in: project, from: client)
            let account = Account(id: AccountID.random(), at: clock.now())
            return try await create(account, passwordHash: nil, signInProvider: SignInProvider.anonymous, in: project, from: client)
        }
    }

    /// Makes an account with an address and a password.
    ///
    /// Throws `emailTaken` before anything is hashed, then what the password policy says.
    /// - Parameters:
    ///   - profile: what the person says of themselves besides the name.
    ///   - authorization: the request at which digits have proven the address. The proof is used up; throws `invalidActionCode` when there is
    ///     none.
    package func signUp(
        email: String, password: String, displayName: String?, profile: [ProfileClaim: String] = [:],
        provenAt authorization: PendingAuthorization? = nil, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await completion.tellingRefusals(by: SignInProvider.password, email: email, in: project, from: client) {
            () async throws(AccountError) in
            let attempt = Attempt(.signUp, from: client, in: project)
            guard try await limits.charge(attempt, then: AccountDirectory.holder(of: email, in: project)).isEmpty else { throw .emailTaken }
            guard authorization == nil || authorization?.email == email else { throw .invalidActionCode }
            try project.passwordPolicy.check(password)
            guard try await directory.staysFree(email, in: project) else { throw .emailTaken }
            let hash = try await passwords.hash(password)
            let now = clock.now()
            var account = Account(id: AccountID.random(), at: now)
            account.email = email
            if authorization != nil { account.proveEmail() }
            account.displayName = displayName
            account.profile = ProfileClaim.stored(profile)
            account.passwordUpdatedAt = now
            do throws(AccountError) {
                return try await create(
                    account, passwordHash: hash.text, spending: authorization?.spendProof(in: project, at: now),
                    signInProvider: SignInProvider.password, in: project, from: client)
            } catch {
                guard case .conflict = error, authorization != nil else { throw error }
                throw .invalidActionCode
            }
        }
    }

    private func create(
        _ account: Account, passwordHash: String?, spending proof: SQL? = nil, signInProvider: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let authentication = Authentication(account: account, signInProvider: signInProvider, time: account.createdAt)
        let done = try await completion.complete(
            authentication, with: [account.insert(passwordHash: passwordHash, in: project)] + (proof.map { [$0] } ?? []), as: .created,
            sharesCommit: true, in: project, from: client, at: account.createdAt)
        return (done.account, done.outcome)
    }
}
