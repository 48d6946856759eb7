package import Accounts
import Curl
import JOSE
import JSON
package import ProjectSettings
import Runtime
package import Text

/// Refreshes sessions, those that people have at Firebase among them: an app leaves Firebase for this server, and its people stay signed in.
///
/// The SDKs keep Google's refresh token and send it to whatever host they are pointed at. While a project's window is open, a text that is not
/// one of our refresh tokens is taken for one of Google's: Google redeems it once, and its session goes on here (`BridgedSessions`).
///
/// An app signs its person out at an error in JSON. So whatever does not concern the person (Google is down, or does not take this server's
/// own key) is `formerIssuerUnavailable`, which is answered without JSON.
package final class SessionBridge: Sendable {
    private let accounts: Accounts
    private let tokens: GoogleTokens
    private let upstream: any Upstream
    private let shared: FirebaseBridge.Shared
    private let clock: Clock

    init(accounts: Accounts, tokens: GoogleTokens, upstream: any Upstream, shared: FirebaseBridge.Shared, clock: Clock) {
        self.accounts = accounts
        self.tokens = tokens
        self.upstream = upstream
        self.shared = shared
        self.clock = clock
    }

    /// Trades a refresh token, ours or Firebase's, for its session's next one. Ours take one round trip.
    ///
    /// Throws what `Sessions.refresh` throws, what `BridgedSessions` throws, and `formerIssuerUnavailable`.
    package func refresh(
        _ token: UTF8Text, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, Session) {
        do { return try await accounts.sessions.refresh(token.asString, in: project) } catch {
            guard case .invalidRefreshToken = error, let migration = project.openMigration(at: clock.now()), migration.sessions,
                Self.isPossible(token)
            else { throw error }
            return try await bridge(token, migration, in: project, from: client)
        }
    }

    /// Whether the text can be a refresh token of Google's. An ID token never is one (SEC-51).
    static func isPossible(_ token: UTF8Text) -> Bool {
        let isText = (16...4096).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isText && (try? JWS.parse(token.asString)) == nil
    }

    private func bridge(
        _ token: UTF8Text, _ migration: FirebaseMigration, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, Session) {
        do {
            try await accounts.signIn.bridgedSessions.charge(in: project, from: client)
            return try await session(of: token, migration, in: project, from: client)
        } catch {
            switch error {
            case .tooManyAttempts, .quotaExceeded: count(.limited, project)
            // Counted where it is known whose fault it is.
            case .formerIssuerUnavailable: break
            case .invalidRefreshToken, .sessionEnded, .accountDisabled, .accountNotFound: count(.refused, project)
            default: break
            }
            throw error
        }
    }

    private func session(
        of token: UTF8Text, _ migration: FirebaseMigration, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, Session) {
        let sessions = accounts.signIn.bridgedSessions
        let name = sessions.name(of: token, in: project)
        while true {
            if let found = try await sessions.find(token, in: project) {
                count(.repeated, project)
                return found
            }
            var opened: (Account, Session)?
            try await shared.inFlight.once(name) { () async throws(AccountError) in
                opened = try await exchange(token, migration, in: project, from: client)
            }
            if let opened {
                count(.exchanged, project)
                return opened
            }
        }
    }

    /// Has Google redeem the token, and opens its session here.
    private func exchange(
        _ token: UTF8Text, _ migration: FirebaseMigration, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, Session) {
        let google = GoogleProject(migration, upstream: upstream, access: shared.access, clock: clock)
        let proven: FirebaseSession
        do { proven = try await prove(token, at: google) } catch {
            guard case .refused(let code) = error, let refusal = Self.refusal(code) else { throw unavailable(error, project) }
            throw refusal
        }
        return try await accounts.signIn.bridgedSessions.open(proven, for: token, in: project, from: client)
    }

    /// Google's refusals that concern the person. SDKs know these codes from Firebase.
    private static func refusal(_ code: String) -> AccountError? {
        switch code {
        case "TOKEN_EXPIRED": .sessionEnded
        case "USER_DISABLED": .accountDisabled
        case "USER_NOT_FOUND": .accountNotFound
        case "INVALID_REFRESH_TOKEN": .invalidRefreshToken
        default: nil
        }
    }

    private func prove(_ token: UTF8Text, at google: GoogleProject) async throws(GoogleFailure) -> FirebaseSession {
        let migration = google.migration
        let answer = try await google.refresh(token)
        // The API key says which project Google answers for.
        guard answer.projectNumber == String(migration.projectNumber) else {
            throw .misconfigured("Google answered for the project number \(answer.projectNumber), not \(migration.projectNumber)")
        }
        guard let unverified = try? UnverifiedJWT.parse(answer.idToken, as: .ownIDToken) else {
            throw .unavailable("Google's refresh of tokens answered with an id_token that cannot be read")
        }
        let verified: GoogleIDToken
        do { verified = try await tokens.verified(unverified, of: migration) } catch {
            switch error {
            // This project has no tenants, so their people have no account here.
            case .refused(.tenant?): throw .refused(code: "INVALID_REFRESH_TOKEN")
            case .refused(let fault):
                throw .misconfigured("Google answered with an ID token that is refused: \(fault.map { "\($0)" } ?? "its signature")")
            case .unanswered(let reason): throw .unavailable(reason)
            }
        }
        guard answer.userID == verified.idToken.accountID else { throw .unavailable("Google answered with the ID token of another person") }
        return FirebaseSession(
            idToken: verified.idToken, secondFactor: verified.secondFactor,
            developerClaims: try await developerClaims(of: verified, at: google))
    }

    /// The claims of the custom token that the person signed in with. A token also has those that administrators gave the person, and they must
    /// not outlast what an administrator does here; so Google is asked which those are.
    private func developerClaims(of token: GoogleIDToken, at google: GoogleProject) async throws(GoogleFailure) -> JSON.Object {
        guard token.idToken.signInProvider == SignInProvider.custom, !token.customClaims.isEmpty else { return [:] }
        var claims = token.customClaims
        for name in try await google.customClaims(of: token.idToken.accountID) { claims[name] = nil }
        return claims
    }

    /// - Parameter failure: says nothing of the person.
    private func unavailable(_ failure: GoogleFailure, _ project: ProjectSettings) -> AccountError {
        if case .unavailable = failure { count(.unavailable, project) } else { count(.misconfigured, project) }
        return AccountError(failure, in: project)
    }

    private func count(_ outcome: ExchangeOutcome, _ project: ProjectSettings) { shared.metrics.count(outcome, in: project.id) }
}
