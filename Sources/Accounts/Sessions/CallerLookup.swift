import Postgres
import ProjectSettings
import Runtime

/// An ID token is only valid as long as its session: our own calls accept it only while the session is alive, and its changes are
/// committed only if the session is alive at that time (SEC-50).
///
/// Tokens of a version that did not name the session (no `sid`) are valid until they expire, unless the sessions of their account were
/// ended after they were issued. Google's tokens name no session of ours either; their person must have authenticated after the last ending.
extension IDToken {
    /// Whether the token's session is alive, as an expression for the statement that reads the account. The account is not part of the
    /// subquery's condition: PostgreSQL would look through all of its sessions instead of looking for the one.
    func sessionLives(in project: ProjectSettings) -> SQL {
        guard let sessionID else { return "true" }
        return """
            (SELECT account_id = \(accountID) FROM sessions
                WHERE project_id = \(project: project) AND session_id = \(sessionID) AND ended_at IS NULL) IS TRUE
            """
    }

    /// Selects the account of the caller, and whether the token's session is alive. Of a token that names no session, `Account.check` decides.
    /// - Parameter others: what to select behind them.
    func caller(with others: SQL? = nil, in project: ProjectSettings) -> SQL {
        let others: SQL = others.map { ", \($0)" } ?? ""
        return Account.select("a.account_id = \(accountID)", with: "\(sessionLives(in: project))\(others)", in: project)
    }

    /// The `auth_time` of the session with which a link answers: the caller's own. Adding a way to sign in does not prove that the same
    /// person is there, and a stolen session must not become recent by it (SEC-73). An anonymous account had no way to sign in before, so
    /// its time is now.
    func authTime(linkingTo account: Account, at now: Instant) -> Instant {
        account.isAnonymous && signInProvider == SignInProvider.anonymous ? now : min(now, authTime)
    }

    /// Rolls back the write that it belongs to (`AccountError.conflict`) unless the session is alive, and makes every statement that ends
    /// the session wait for the commit. Must come after the statement that changes the account, which every ending of all sessions locks
    /// first.
    func holdSession(in project: ProjectSettings) -> [SQL] {
        guard let sessionID else { return [] }
        return [
            .required(
                """
                SELECT session_id FROM sessions WHERE project_id = \(project: project) AND session_id = \(sessionID)
                    AND account_id = \(accountID) AND ended_at IS NULL FOR SHARE
                """)
        ]
    }
}

extension Account {
    /// Throws `sessionEnded` unless the token is valid for this account.
    /// - Parameter sessionLives: whether the session is alive, as the database says (`IDToken.sessionLives`).
    func check(_ token: IDToken, sessionLives: Bool, at now: Instant) throws(AccountError) {
        guard sessionLives, token.expires > now, token.isGoogles ? takesProof(from: token.authTime) : stands(token) else {
            throw .sessionEnded
        }
    }

    private func stands(_ token: IDToken) -> Bool {
        !token.issued.isInEarlierSecond(than: validSince) && (token.sessionID != nil || countsWithoutSession(token))
    }

    /// Whether a proof of the person at this time opens the account: nothing has ended its sessions since.
    func takesProof(from time: Instant) -> Bool {
        !time.isInEarlierSecond(than: validSince) && sessionsEndedAt.map { time > $0 } ?? true
    }

    /// A token names its time of issue in whole seconds, so a token from the second of an ending may be older than the ending. It is refused,
    /// since a newer one names its session, whose end is exact. An earlier version, which may still run beside this one, does not write
    /// `sessionsEndedAt`; then only `validSince` remains, which an account has from its creation on.
    private func countsWithoutSession(_ token: IDToken) -> Bool {
        if let sessionsEndedAt, token.issued <= sessionsEndedAt { return false }
        return token.issued > validSince || validSince.seconds == createdAt.seconds
    }
}
