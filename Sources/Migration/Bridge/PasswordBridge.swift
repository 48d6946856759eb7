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
        let wrong: AccountError
        do { return try await accounts.signIn.passwords.signIn(email: email, password: password, in: project, from: client) } catch {
            wrong = error
        }
        guard wrong.saysWrongPassword, let migration = project.openMigration(at: clock.now()), migration.passwords != .off else {
            throw wrong
        }
        let former = accounts.signIn.formerPasswords
        let candidate = try await former.candidate(email: email, in: project)
        // Where every account's first sign-in asks, an address without one is asked about, too: the time must not tell who has an account.
        guard candidate != nil || migration.passwords == .always else { throw wrong }
        try await former.charge(email: email, in: project, from: client)
        switch await answer(email, password, at: migration, in: project) {
        case .right(let uid):
            guard let candidate, UTF8Text(uid) == UTF8Text(candidate.id) else { throw wrong }
            return try await former.settle(password, of: candidate.id, email: email, in: project, from: client)
        case .needsSecondFactor:
            guard let candidate else { throw wrong }
            return (candidate, .pending(PendingSignIn(due: .secondFactor)))
        case .wrong: throw wrong
        case .unknown(let error):
            try await former.refund(email: email, in: project, from: client)
            throw error
        }
    }

    private enum Answer {
        /// The uid of the person whose password it is.
        case right(String)
        /// The password is right, and one factor is not enough there, nor here (SEC-55).
        case needsSecondFactor
        case wrong
        case unknown(AccountError)
    }

    private func answer(
        _ email: String, _ password: String, at migration: FirebaseMigration, in project: ProjectSettings
    ) async -> Answer {
        let google = GoogleProject(migration, upstream: upstream, access: access, clock: clock)
        do {
            guard let text = try await google.signIn(email: email, password: password) else { return .needsSecondFactor }
            let token = try UnverifiedJWT.parse(text, as: .ownIDToken)
            return .right(try await tokens.verified(token, of: migration).idToken.accountID)
        } catch GoogleFailure.refused(let code) where Self.wrong.contains(code) {
            return .wrong
        } catch let failure as GoogleFailure {
            return .unknown(.formerIssuerUnavailable("\(failure); see migration.firebase in the file of the project \(project.id)"))
        } catch {
            return .unknown(.formerIssuerUnavailable("Google answered a sign-in with a token that is refused: \(error)"))
        }
    }

    /// Google's answers that say something about the password. A disabled person there learns no more than one with a wrong password.
    private static let wrong: Set<String> = [
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
