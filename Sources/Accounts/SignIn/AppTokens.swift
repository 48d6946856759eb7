import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// The one-time token that a hosted page hands to an app's own page, and that the app's SDK trades for a session by
/// `signInWithCustomToken`.
///
/// It is the code of a request whose client is the project itself: no relying party can have the project's id. So the token lives a
/// minute, works once, belongs to one project, and dies with the browser's session. It opens the account of that session and makes none.
package struct AppToken: Sendable, Equatable {
    let code: UTF8Text

    /// A beginning that no JWT has, and no unsigned token of development mode.
    private static let prefix: UTF8Text = "gatehouse-"

    package init(code: String) { self.code = UTF8Text(code) }

    /// `nil` for a text that is another kind of token.
    package init?(_ text: UTF8Text) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        code = UTF8Text(decoding: text.utf8.dropFirst(Self.prefix.utf8.count))
    }

    package var text: String { "\(Self.prefix)\(code)" }
}

extension AuthorizationRequest {
    /// Whether an app's own page asks, and not a relying party.
    package func isOfApp(in project: ProjectSettings) -> Bool { clientID.isExactly(project.id) }

    /// Whether the account page of this server asks.
    package func isOfAccountPage(in project: ProjectSettings) -> Bool { clientID.isExactly(project.accountPageClientID) }
}

extension AuthorizationRequests {
    /// Trades the token for a session of the app, in which the sign-in at the hosted page goes on: its provider and its time stay. Two
    /// round trips, besides the charge.
    ///
    /// A token that comes a second time ends the session that it made, since one of its two holders is a thief.
    /// Throws `customToken` for one that is unknown, used or expired, and `accountDisabled`.
    package func signIn(
        with token: AppToken, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await limits.charge(.customToken, in: project, from: client)
        return try await retryingConflicts { () async throws(AccountError) in
            let found: FoundCode
            do throws(AccountError) { found = try await find(token.code, in: project) } catch {
                if case .grantRefused = error { throw Self.refused }
                throw error
            }
            // The app's page may have been removed since.
            guard found.request.isOfApp(in: project), project.standing(of: found.request) != nil else { throw Self.refused }
            guard !found.isRedeemed else {
                try await endReused(found, in: project, from: client)
                throw Self.refused
            }
            guard found.isFresh, found.sessionLives else { throw Self.refused }
            guard !found.account.disabled else { throw .accountDisabled }
            let now = clock.now()
            let id = Random.bytes(Session.idCount)
            var authentication = found.browserSession.authentication
            authentication.isHandedOn = true
            let done = try await completion.complete(
                authentication,
                with: [found.spend(for: id, in: project, at: now)] + found.browserSession.hold(in: project), as: .signedIn, id: id,
                in: project, from: client, at: now)
            return (found.account, done.outcome)
        }
    }

    private static let refused = AccountError.customToken(.invalid("The token of the sign-in page is unknown, used or expired."))
}
