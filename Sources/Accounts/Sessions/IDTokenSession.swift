import Postgres
import Runtime

/// An ID token is worth no more than its session: our own calls take it only while that session lives, and what it changes is committed
/// only if the session lives then (SEC-50).
///
/// Tokens of a version that did not name the session (no `sid`) count until they expire, unless the sessions of their account were ended
/// after they were issued.
extension IDToken {
    /// Whether the token's session lives, as an expression for the statement that reads the account.
    ///
    /// The account is no condition: PostgreSQL would look through all of its sessions rather than for the one.
    func sessionLives(in project: ProjectSettings) -> SQL {
        guard let sessionID else { return "true" }
        return """
            (SELECT account_id = \(accountID) FROM sessions
                WHERE project_id = \(project.id) AND session_id = \(sessionID) AND ended_at IS NULL) IS TRUE
            """
    }

    /// `auth_time` of the session that a link answers with: the caller's own, for adding a way to sign in proves nothing of who was there before,
    /// and a stolen session must not make itself fresh by it (SEC-73). An anonymous account has had no way to sign in, so it begins now.
    func authTime(linkingTo account: Account, at now: Instant) -> Instant {
        account.isAnonymous && signInProvider == SignInProvider.anonymous ? now : min(now, authTime)
    }

    /// Undoes the write that it is part of (`AccountError.overtaken`) unless the session lives, and has whatever ends the session wait for
    /// the commit. Comes behind the statement that changes the account, which every ending of all sessions locks first.
    func holdSession(in project: ProjectSettings) -> [SQL] {
        guard let sessionID else { return [] }
        return [
            .required(
                """
                SELECT session_id FROM sessions WHERE project_id = \(project.id) AND session_id = \(sessionID)
                    AND account_id = \(accountID) AND ended_at IS NULL FOR SHARE
                """)
        ]
    }
}

extension Account {
    /// Throws `sessionEnded` unless the token counts for this account.
    /// - Parameter sessionLives: as the database has it (`IDToken.sessionLives`).
    func check(_ token: IDToken, sessionLives: Bool, at now: Instant) throws(AccountError) {
        guard sessionLives, token.expires > now, token.issued >= validSince, token.sessionID != nil || countsWithoutSession(token) else {
            throw .sessionEnded
        }
    }

    /// A token says in whole seconds when it was issued, so one of the second of an ending may be from before it. Of a version that knew no
    /// `sessionsEndedAt`, and may still be at work beside this one, there is `validSince` alone, which an account has from its creation on.
    private func countsWithoutSession(_ token: IDToken) -> Bool {
        if let sessionsEndedAt, token.issued <= sessionsEndedAt { return false }
        return token.issued > validSince || validSince.seconds == createdAt.seconds
    }

    /// What was issued until now is dead, whatever second it says it is from.
    /// - Parameter start: when the session that goes on began; `nil` when none does. Verifiers elsewhere compare `validSince` with the
    ///   `auth_time` of a token, so it must not be later than that.
    mutating func endTokens(at now: Instant, sparingSessionFrom start: Instant? = nil) {
        validSince = max(validSince, Instant(seconds: min(now, start ?? now).seconds))
        sessionsEndedAt = max(sessionsEndedAt ?? now, now)
    }

    /// A condition on the row in `accounts`: no session was ended since the account was read.
    var sessionsStand: SQL {
        "valid_since = \(validSince) AND sessions_ended_at IS NOT DISTINCT FROM \(sessionsEndedAt)"
    }

    /// - Parameter spared: the session that goes on.
    func endSessions(because reason: String, sparing spared: [UInt8]? = nil, in project: ProjectSettings, at now: Instant) -> SQL {
        """
        UPDATE sessions SET ended_at = \(now), end_reason = \(reason)
        WHERE project_id = \(project.id) AND account_id = \(id) AND ended_at IS NULL AND session_id IS DISTINCT FROM \(spared)
        """
    }
}
