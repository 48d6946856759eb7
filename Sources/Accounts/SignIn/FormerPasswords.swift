import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// Passwords that Firebase knows and this server does not, while people come from there: those that were changed there after the import, and
/// all of them where no hashes were imported.
///
/// Firebase is asked only about an account whose password nobody has changed here since its import, and whose sessions nobody has ended here:
/// what happens here counts. Its word is taken once; then the account has a hash of ours. The steps are for `PasswordBridge`, which asks
/// between them: `candidate`, `charge`, then `settle`.
package struct FormerPasswords: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits
    let passwords: Passwords
    let completion: SignInCompletion

    /// The account that has the address, if Firebase may be asked about its password.
    package func candidate(email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try await unsettled("a.email = \(email)", in: project)
    }

    /// Charges a question to Firebase, whose answer would be a guess's. Throws `tooManyAttempts`.
    package func charge(
        email: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        try await limits.charge(Attempt(.migratePassword, from: client, email: email, in: project))
    }

    /// Gives back what a try of a password took that nobody could judge. It is no failure of the account's.
    package func refund(email: String, in project: ProjectSettings, from client: Session.ClientInfo) async throws(AccountError) {
        _ = try await storage.write(all: limits.refund(of: Attempt(.password, from: client, email: email, in: project)))
    }

    /// Signs in with a password that Firebase has confirmed for this account a moment ago, and keeps a hash of it.
    ///
    /// Throws `accountNotFound`, `accountDisabled`, and `invalidCredentials` when the account has another owner's password or address by now.
    package func settle(
        _ password: String, of accountID: String, email: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let hash = try await passwords.hash(password)
        return try await retryingConflicts { () async throws(AccountError) in
            guard let account = try await unsettled("a.account_id = \(accountID) AND a.email = \(email)", in: project) else {
                throw .invalidCredentials(of: accountID)
            }
            let now = clock.now()
            var changed = account
            changed.passwordUpdatedAt = now
            changed.noteFirstProof(at: now)
            let statements =
                [changed.update(from: account, passwordHash: hash.text, in: project)]
                + limits.success(of: Attempt(.password, from: client, email: email, in: project))
            let authentication = Authentication(account: changed, signInProvider: SignInProvider.password, time: now)
            let done = try await completion.complete(
                authentication, with: statements, as: .signedIn, in: project, from: client, at: now)
            return (done.account, done.outcome)
        }
    }

    /// The enabled account that meets the condition, while its password is as it was imported.
    private func unsettled(_ condition: SQL, in project: ProjectSettings) async throws(AccountError) -> Account? {
        let rows = try await storage.read(Account.select(condition, with: ImportMemory.fields(in: project), in: project))
        guard var row = rows.first?.reader(), let account = try reading({ try Account(&row) }) else { return nil }
        guard let fields = try reading({ try row.next(as: [UInt8]?.self) }), !account.disabled, account.sessionsEndedAt == nil,
            ImportMemory(digest: [], fields: fields).hasPassword(of: account)
        else { return nil }
        return account
    }
}
