package import Accounts
import Curl
import JOSE
import JSON
package import ProjectSettings
import Runtime
import Text

/// Signs people in by a password, and asks Firebase about one that this server does not know, while people come from there and the project's
/// file says so (`migration.firebase.passwords`).
///
/// No answer of Google's but "right" signs anyone in, and none but "wrong" counts as wrong: an outage is answered as one.
package final class PasswordBridge: Sendable {
    private let accounts: Accounts
    private let tokens: GoogleTokens
    private let upstream: any Upstream
    private let access: GoogleAccess
    private let clock: Clock

    init(accounts: Accounts, tokens: GoogleTokens, upstream: any Upstream, access: GoogleAccess, clock: Clock) {
        self.accounts = accounts
        self.tokens = tokens
        self.upstream = upstream
        self.access = access
        self.clock = clock
    }

    /// Throws what `PasswordSignIns.signIn` throws, and `formerIssuerUnavailable`.
    package func signIn(
        email: String, password: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let (account, outcome) = try await accounts.signIn.passwords.signIn(
            email: email, password: password, in: project, from: client
        ) { wrong throws(AccountError) in
            try await askFirebase(email: email, password: password, unless: wrong, in: project, from: client)
        }
        guard case .pending(let pending) = outcome, pending.needsStandIn, let migration = project.openMigration(at: clock.now()),
            migration.passwords != .off, try await mayAsk(about: email, in: project, from: client),
            case .needsSecondFactor(let factors) = await answer(email, password, at: migration, in: project)
        else { return (account, outcome) }
        return (account, try await keep(factors, for: outcome, of: account, in: project))
    }

    /// Whether a question to Firebase about the factors of a person is within the limits. Beyond them another proof is asked for.
    private func mayAsk(
        about email: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Bool {
        do { try await accounts.signIn.formerPasswords.charge(email: email, in: project, from: client) } catch {
            guard case .tooManyAttempts = error else { throw error }
            return false
        }
        return true
    }

    /// Has Firebase judge a second factor whose secret is not here.
    private func keep(
        _ factors: GoogleProject.FactorsThere, for outcome: SignInOutcome, of account: Account, in project: ProjectSettings
    ) async throws(AccountError) -> SignInOutcome {
        guard case .pending(let pending) = outcome, pending.needsStandIn, factors.fit(account) else { return outcome }
        return .pending(try await accounts.secondFactors.lost.keep(factors.credential, for: pending, in: project))
    }

    /// - Parameter wrong: the reason why the person is not signed in here; thrown where Firebase does not know better.
    private func askFirebase(
        email: String, password: String, unless wrong: AccountError, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        guard wrong.saysWrongPassword, let migration = project.openMigration(at: clock.now()), migration.passwords != .off else {
            throw wrong
        }
        let former = accounts.signIn.formerPasswords
        var candidate = try await former.candidate(email: email, in: project)
        // Where every account's first sign-in asks, an address without one is asked about, too: the time must not tell who has an account.
        // So it is where people without an account here come just in time.
        guard candidate != nil || migration.passwords == .always || migration.unknownUsers == .import else { throw wrong }
        try await former.charge(email: email, in: project, from: client)
        switch await answer(email, password, at: migration, in: project) {
        case .right(let uid):
            if candidate == nil { try await bring(.id(uid), orThrow: wrong, in: project) }
            guard uid.isExactly(candidate?.id ?? uid) else { throw wrong }
            do { return try await former.settle(password, of: uid, email: email, in: project, from: client) } catch {
                // Another request with the same password may have been first: then the account has its hash.
                guard case .invalidCredentials = error else { throw error }
                return try await accounts.signIn.passwords.signIn(email: email, password: password, in: project, from: client)
            }
        case .needsSecondFactor(let factors):
            // Google does not say whose password it is.
            if candidate == nil {
                try await bring(.address(email), orThrow: wrong, in: project)
                candidate = try await former.candidate(email: email, in: project)
            }
            // A factor of both tells that it is. One that was enrolled there after the import is unknown here, and one factor is not enough.
            guard let candidate, factors.fit(candidate) else { throw candidate == nil ? wrong : .secondFactor(.unanswerable) }
            let (account, outcome) = try await former.settle(password, of: candidate.id, email: email, in: project, from: client)
            return (account, try await keep(factors, for: outcome, of: account, in: project))
        case .blocked(let text):
            try await former.refund(email: email, in: project, from: client)
            throw .blockedByFunction(text)
        case .wrong: throw wrong
        case .unknown(let error):
            try await former.refund(email: email, in: project, from: client)
            throw error
        }
    }

    /// Imports a person whose password Google has confirmed. Throws `wrong` for one who was deleted, here or there, and `accountNotFound` for one whom
    /// a rule of imports refuses.
    private func bring(
        _ person: FormerPerson, orThrow wrong: AccountError, in project: ProjectSettings
    ) async throws(AccountError) {
        switch try await accounts.justInTime.bring(person, in: project) {
        case .here: return
        case .nobody: throw wrong
        case .refused: throw .accountNotFound
        }
    }

    private enum Answer {
        /// The uid of the person whose password it is.
        case right(String)
        /// The password is right, and one factor is not enough there, nor here (SEC-55).
        case needsSecondFactor(GoogleProject.FactorsThere)
        case wrong
        /// By a function of the Firebase project, with its text.
        case blocked(String)
        case unknown(AccountError)
    }

    private func answer(
        _ email: String, _ password: String, at migration: FirebaseMigration, in project: ProjectSettings
    ) async -> Answer {
        let google = GoogleProject(migration, upstream: upstream, access: access, clock: clock)
        do {
            switch try await google.signIn(email: email, password: password) {
            case .secondFactor(let factors): return .needsSecondFactor(factors)
            case .idToken(let text):
                let token = try UnverifiedJWT.parse(text, as: .ownIDToken)
                return .right(try await tokens.verified(token, of: migration).idToken.accountID)
            }
        } catch GoogleFailure.refused(let code) where Self.wrong.contains(code) {
            return .wrong
        } catch GoogleFailure.blocked(let text) {
            return .blocked(text)
        } catch let failure as GoogleFailure {
            return .unknown(AccountError(failure, in: project))
        } catch {
            return .unknown(.formerIssuerUnavailable("Google answered a sign-in with a token that is refused: \(error)"))
        }
    }

    /// Google's answers that say something about the password. A disabled person there learns no more than one with a wrong password.
    static let wrong: Set<String> = [
        "INVALID_LOGIN_CREDENTIALS", "INVALID_PASSWORD", "EMAIL_NOT_FOUND", "USER_DISABLED", "INVALID_EMAIL", "MISSING_PASSWORD",
    ]
}

extension AccountError {
    /// Whether an address or its password is not known.
    fileprivate var saysWrongPassword: Bool {
        switch self {
        case .invalidCredentials(of: _), .noSuchEmail, .wrongPassword(of: _): true
        default: false
        }
    }
}
